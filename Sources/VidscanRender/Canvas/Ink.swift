/// A colour with opacity. Components are in 0…1, and not premultiplied by the opacity.
public struct Ink: Sendable, Hashable {
    public var red: Double
    public var green: Double
    public var blue: Double
    public var opacity: Double

    public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.opacity = opacity
    }

    public static let white = Ink(red: 1, green: 1, blue: 1)
    public static let black = Ink(red: 0, green: 0, blue: 0)

    /// Returns the same colour with another opacity.
    public func faded(to opacity: Double) -> Ink {
        Ink(red: red, green: green, blue: blue, opacity: opacity)
    }
}
