package import VidscanBase
package import VidscanFaces

/// A file with the signatures of a segment's frames, in time order. Shot changes can be detected only when the frames
/// of the neighbouring segments are known too.
package final class SignatureFile {
    private let file: OutputFile

    package init(path: String) throws(VidscanError) { file = try OutputFile(path: path) }

    package func append(_ signature: FrameSignature) throws(VidscanError) {
        signature.numbers.withUnsafeBytes { file.buffer.write(bytes: $0) }
        try file.drain()
    }

    package func deliver() throws(VidscanError) { try file.finish() }
}

/// Reads a `SignatureFile` from its beginning.
package final class SignatureReader {
    private let input: IntermediateInput

    /// - Parameter name: The name of the file in `folder`.
    package init(folder: String, name: String) throws(VidscanError) {
        input = try IntermediateInput(folder: folder, name: name)
    }

    /// - Returns: The signature of the next frame, or `nil` at the end.
    /// - Throws: `VidscanError` that names the byte, for a number that no frame can give.
    package func next() throws(VidscanError) -> FrameSignature? {
        let size = MemoryLayout<Float>.size
        let place = input.offset
        guard let bytes = try input.take(FrameSignature.numberCount * size) else { return nil }
        let numbers = bytes.withUnsafeBytes { bytes in
            (0..<FrameSignature.numberCount).map {
                bytes.loadUnaligned(fromByteOffset: size * $0, as: Float.self)
            }
        }
        // Luma from 0 to 255 and fractions of 1, with a margin for rounding.
        if let index = numbers.firstIndex(where: { !(-1...256).contains($0) }) {
            throw input.problem(
                "a frame's signature has the invalid number \(numbers[index])", at: place + size * index)
        }
        return FrameSignature(numbers: numbers)
    }
}
