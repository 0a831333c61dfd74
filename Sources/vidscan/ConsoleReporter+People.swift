internal import VidscanBase
internal import VidscanPeople

extension ConsoleReporter {
    func linked(_ summary: PeopleStudy.Summary) { inform(.people, summary.text, summary.fields) }

    func forgot(_ result: String, hadEmbeddings: Bool) {
        let name = Self.relative(result, isFolder: false)
        inform(
            .people, "\(name): \(hadEmbeddings ? "embeddings removed" : "has no embeddings")",
            ["result": .text(result), "removed": .flag(hadEmbeddings)])
    }
}

extension PeopleStudy.Summary {
    /// The summary in one line.
    var text: String {
        let people = "\(people) \(people == 1 ? "person" : "people")"
        var text = "\(people) in \(NumberText.count(videos, "video"))"
        if corrections > 0 { text += ", \(NumberText.count(corrections, "correction")) applied" }
        if doubts > 0 { text += ", \(NumberText.count(doubts, "decision")) to check in people.html" }
        return "\(text) -> \(ConsoleReporter.relative(path, isFolder: false))"
    }

    /// The summary for a structured log.
    var fields: LogFields {
        [
            "people": .integer(people), "videos": .integer(videos), "doubts": .integer(doubts),
            "output": .text(path),
        ]
    }
}
