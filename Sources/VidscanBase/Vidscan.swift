/// The product itself.
public enum Vidscan {
    public static let version = "0.1.0"
}
