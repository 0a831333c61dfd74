internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanPeople
internal import VidscanResults

struct PeopleCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "Finds the same people in many results, and gives each of them one number.",
        discussion: """
            The results need face embeddings: analyse the videos with 'vidscan analyze --people'. Embeddings are \
            biometric data; --forget removes them. The study is a folder with people.csv (a row per person and video), \
            people.html (a page to check the least certain decisions) and people.json (the numbers, so that they stay \
            the same when results are added). Results stay in the study until --remove takes them out, so name only \
            new ones.

            The page saves corrections. You can also write such a file: JSON with the format "vidscan study corrections \
            1" and a list of "corrections", which join people (the first number stays), move tracks to a new person, and \
            give pseudonyms:
              {"do": "same_person", "people": [3, 7]}
              {"do": "split", "person": 4, "tracks": [12], "video": "interview.mp4"}
              {"do": "name", "person": 3, "name": "P07"}

            EXAMPLES
              vidscan people results/ --output study
              vidscan people results/day-2 --output study --tables tracks,faces
              vidscan people --output study --corrections corrections.json
              vidscan people --output study --photo Anna=anna.jpg --photo Anna=anna2.jpg
              vidscan people --output study --remove interview.mp4
              vidscan people --forget results/
            """)

    @Argument(
        help: .value(
            "result", "Results of 'vidscan analyze --people', or folders that contain some, such as that of a batch."))
    var results: [String] = []

    @Option("folder", "The folder of the study. Default: people.", name: .shortAndLong) var output: String?
    @Option("file", "A file of corrections.") var corrections: String?

    @Option("tables", "Also write all rows of these tables with the study's numbers: tracks, faces or tracks,faces.")
    var tables: String?

    @Option(
        "name=file",
        "Give the person in a photograph a name. Can be repeated, also with more photographs of one person."
            + " Photographs are not stored.")
    var photo: [NamedPhoto] = []

    @Option("video", "Take a video out of the study: its name or path, or that of its result. Can be repeated.")
    var remove: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Show the faces on the page, from the videos. Default: shown, unless faces are hidden.")
    var thumbnails: Bool?

    @Flag(help: "Remove the face embeddings from the results, and do nothing else.") var forget = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        let changesStudy = output != nil || corrections != nil || !remove.isEmpty || !photo.isEmpty
        try refuse(if: forget && results.isEmpty, "Name the results whose embeddings are removed.")
        try refuse(
            if: forget && (changesStudy || tables != nil || thumbnails != nil),
            "--forget removes embeddings from results and has no other options.")
        try refuse(
            if: !forget && results.isEmpty && !changesStudy, "Name at least one result, or the study with --output.")
        try refuse(if: chosenTables.contains(nil), "--tables must be tracks, faces or tracks,faces.")
    }

    private var chosenTables: [PeopleStudy.Table?] {
        let names = tables?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        return names.map { PeopleStudy.Table(rawValue: String($0)) }
    }

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        if forget { return try await removeEmbeddings(reporter) }
        var options = PeopleStudy.Options()
        (options.corrections, options.removals) = (corrections, remove)
        options.tables = Set(chosenTables.compactMap { $0 })
        options.hasThumbnails = thumbnails
        if !photo.isEmpty {
            let models = try ModelStore()
            for photo in photo {
                options.photos[photo.name, default: []].append(
                    try await FacePhoto.embedding(of: photo.path, models: models))
            }
        }
        let summary = try await PeopleStudy(options: options).run(results: results, folder: output ?? "people")
        for warning in summary.warnings { reporter.warned(warning.video, message: warning.message) }
        for failure in summary.failures { reporter.failed(failure) }
        reporter.log.linked(summary)
        return summary.failures.count
    }

    private func removeEmbeddings(_ reporter: ConsoleReporter) async throws -> Int {
        var failures = 0
        let unreadable = try await CommandWork.each(of: results, reporter) { path, _ in
            failures += try await CommandWork.each(of: ResultFinder.find(path, withPrevious: true), reporter) {
                result, _ in
                let removed = try EmbeddingRemoval.remove(from: result)
                let outcome = removed ? "embeddings removed" : "has no embeddings"
                reporter.log(
                    .info, .people, "\(FilePath.relative(result)): \(outcome)",
                    ["result": result, "removed": removed])
            }
        }
        return failures + unreadable
    }
}

/// `Anna=anna.jpg`
struct NamedPhoto: ExpressibleByArgument {
    let name, path: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, Pseudonym.isValid(parts[0]), !parts[1].isEmpty else { return nil }
        (name, path) = (parts[0], parts[1])
    }
}
