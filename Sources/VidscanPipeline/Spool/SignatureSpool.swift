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

    /// - Parameter name: of the file in `folder`.
    init(folder: String, name: String) throws(PipelineError) { input = try SpoolInput(folder: folder, name: name) }

    /// - Returns: the next frame's signature, or `nil` at the end.
    /// - Throws: `PipelineError` that names the byte, for a number that no picture gives.
    func next() throws(PipelineError) -> FrameSignature? {
        let size = MemoryLayout<Float>.size
        let place = input.offset
        guard let bytes = try input.take(FrameSignature.numberCount * size) else { return nil }
        let numbers = bytes.withUnsafeBytes { bytes in
            (0..<FrameSignature.numberCount).map {
                bytes.loadUnaligned(fromByteOffset: size * $0, as: Float.self)
            }
        }
        // Luma of 0…255 and shares of 1, with what rounding adds.
        if let index = numbers.firstIndex(where: { !(-1...256).contains($0) }) {
            throw input.problem("a picture's signature has the number \(numbers[index])", at: place + size * index)
        }
        return FrameSignature(numbers: numbers)
    }
}
