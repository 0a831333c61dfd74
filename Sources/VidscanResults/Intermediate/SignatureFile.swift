package import VidscanBase
package import VidscanFaces

/// A file with the signatures of a part's frames, one after another: where shots change can be told only beside the frames
/// of its neighbours.
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

    /// - Parameter name: of the file in `folder`.
    package init(folder: String, name: String) throws(VidscanError) {
        input = try IntermediateInput(folder: folder, name: name)
    }

    /// - Returns: the next frame's signature, or `nil` at the end.
    /// - Throws: `VidscanError` that names the byte, for a number that no picture gives.
    package func next() throws(VidscanError) -> FrameSignature? {
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
