/// The reason why two videos could not be compared.
struct CoverageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
