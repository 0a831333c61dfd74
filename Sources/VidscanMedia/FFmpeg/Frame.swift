internal import CFFmpeg
internal import VidscanBase

/// Owns an `AVFrame`. The pixels go back to their pool when the last frame that refers to them is destroyed.
///
/// The members of `AVFrame` are members of this type too: `frame.width`, `frame.pts = 0`.
@dynamicMemberLookup
struct Frame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    /// A frame without pixels, for a decoder or a filter graph to fill.
    init() throws(MediaError) {
        guard let pointer = av_frame_alloc() else { throw .outOfMemory }
        self.pointer = pointer
    }

    /// A frame with uninitialised pixels.
    static func allocate(_ size: PictureSize, _ format: AVPixelFormat) throws(MediaError) -> Frame {
        let frame = try Frame()
        frame.width = Int32(size.width)
        frame.height = Int32(size.height)
        frame.format = format.rawValue
        guard av_frame_get_buffer(frame.pointer, 0) >= 0 else { throw .outOfMemory }
        return frame
    }

    /// A frame that shares the pixels of another one.
    init(sharing other: borrowing Frame) throws(MediaError) {
        guard let pointer = av_frame_clone(other.pointer) else { throw .outOfMemory }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<AVFrame, Value>) -> Value {
        get { pointer.pointee[keyPath: member] }
        nonmutating set { pointer.pointee[keyPath: member] = newValue }
    }

    var size: PictureSize { PictureSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height)) }

    var pixelFormat: AVPixelFormat { AVPixelFormat(pointer.pointee.format) }

    func removeSideData(_ type: AVFrameSideDataType) { av_frame_remove_side_data(pointer, type) }
}
