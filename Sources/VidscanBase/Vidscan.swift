package enum Vidscan {
    package static let version = "0.1.0"
}
