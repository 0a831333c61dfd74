/// Information about the vidscan product.
public enum Vidscan {
    public static let version = "0.1.0"
}
