/// A small aligned picture of a face, from which its embedding is computed.
///
/// A chip is kept instead of an embedding because only the whole video shows which faces need one.
public struct FaceChip: Sendable, Equatable {
    /// The width and height in pixels.
    public static let resolution = 150
    /// The number of bytes of a chip.
    public static let byteCount = 3 * resolution * resolution

    /// R', G', B' in 0…255, shape 3 × 150 × 150. The face lies in it as ``EmbeddingCrop`` says.
    public let pixels: [UInt8]

    /// - Parameter pixels: The pixels, `byteCount` of them.
    public init(pixels: [UInt8]) {
        precondition(pixels.count == Self.byteCount, "a chip has 3 × 150 × 150 values")
        self.pixels = pixels
    }
}
