internal import ArgumentParser
internal import VidscanRender

/// Who stays visible when faces are hidden.
struct VisibilityArguments: ParsableArguments {
    static let title: String = "Who stays visible"

    @Option(help: ArgumentHelp("Keep these person_ids visible, and hide everybody else.", valueName: "list"))
    var keep: NumberList?

    @Option(
        help: ArgumentHelp(
            "Hide these person_ids, and everybody who might be one of them; keep the others visible.",
            valueName: "list"))
    var hide: NumberList?

    @Option(
        help: ArgumentHelp(
            "Keep these face_ids visible too, although nothing verifies who they are.", valueName: "list"))
    var keepFace: NumberList?

    @Option(help: ArgumentHelp("Hide these face_ids in any case.", valueName: "list"))
    var hideFace: NumberList?

    func validate() throws {
        if keep != nil, hide != nil { throw ValidationError("--keep and --hide cannot be used together.") }
        if hideFace != nil, keep == nil, hide == nil {
            throw ValidationError("--hide-face needs --keep or --hide: without them, all faces are hidden.")
        }
        let both = Set(keepFace?.numbers ?? []).intersection(hideFace?.numbers ?? [])
        if let both = both.min() { throw ValidationError("--keep-face and --hide-face both name \(both).") }
    }

    /// Whether an option was given.
    var isSet: Bool { keep != nil || hide != nil || keepFace != nil || hideFace != nil }

    var choice: FaceChoice {
        var choice = FaceChoice()
        if let keep { choice.people = .only(Set(keep.numbers)) }
        if let hide { choice.people = .allBut(Set(hide.numbers)) }
        choice.keptFaces = Set(keepFace?.numbers ?? [])
        choice.hiddenFaces = Set(hideFace?.numbers ?? [])
        return choice
    }
}

/// Refuses to choose people before there is a result: their numbers depend on the video, the settings and the models.
struct EarlyVisibilityArguments: ParsableArguments {
    @Option(help: .hidden)
    var keep: String?

    @Option(help: .hidden)
    var hide: String?

    func validate() throws {
        guard keep != nil || hide != nil else { return }
        let option = keep != nil ? "--keep" : "--hide"
        throw ValidationError(
            "\(option) needs a result, because person_ids are only known after an analysis: analyse with --anonymize, see"
                + " in tracks.csv or the report who is who, and use 'vidscan render RESULT --anonymize blur \(option) ID'."
        )
    }
}

/// Numbers of people or faces, separated by commas.
struct NumberList: ExpressibleByArgument {
    let numbers: [Int]

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy({ $0 > 0 }) else { return nil }
        self.numbers = numbers
    }
}
