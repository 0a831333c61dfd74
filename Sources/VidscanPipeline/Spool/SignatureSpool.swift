internal import VidscanCore

/// A file with the signatures of a part's frames, one after another: where shots change can be told only beside the frames
/// of its neighbours.
final class SignatureSpool {
    private let file: OutputFile

    init(path: String) throws(PipelineError) { file = try OutputFile(path: path) }

    func append(_ signature: FrameSignature) throws(PipelineError) {
        signature.numbers.withUnsafeBytes { file.buffer.write(bytes: $0) }
        try file.drain()
    }

    func deliver() throws(PipelineError) { try file.finish() }
}

/// Reads a `SignatureSpool` from its beginning.
final class SignatureSpoolReader {
    private let input: SpoolInput

    init(path: String) throws(PipelineError) { input = try SpoolInput(path: path) }

    /// - Returns: the next frame's signature, or `nil` at the end.
    func next() throws(PipelineError) -> FrameSignature? {
        let size = MemoryLayout<Float>.size
        guard let bytes = try input.take(FrameSignature.numberCount * size) else { return nil }
        return bytes.withUnsafeBytes { bytes in
            FrameSignature(
                numbers: (0..<FrameSignature.numberCount).map {
                    bytes.loadUnaligned(fromByteOffset: size * $0, as: Float.self)
                })
        }
    }
}
