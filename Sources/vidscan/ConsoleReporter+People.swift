internal import VidscanBase
internal import VidscanPeople

extension ConsoleReporter {
    func linked(_ summary: PeopleStudy.Summary) {
        let people = "\(summary.people) \(summary.people == 1 ? "person" : "people")"
        var text = "\(people) in \(NumberText.count(summary.videos, "video"))"
        if summary.corrections > 0 { text += ", \(NumberText.count(summary.corrections, "correction")) applied" }
        if summary.doubts > 0 { text += ", \(NumberText.count(summary.doubts, "decision")) to check in people.html" }
        inform(
            "\(text) -> \(Self.relative(summary.path, isFolder: false))",
            [
                "people": "\(summary.people)", "videos": "\(summary.videos)", "doubts": "\(summary.doubts)",
                "output": "\(summary.path)",
            ])
    }

    func forgot(_ result: String, hadEmbeddings: Bool) {
        let name = Self.relative(result, isFolder: false)
        inform(
            "\(name): \(hadEmbeddings ? "embeddings removed" : "has no embeddings")",
            ["result": "\(result)", "removed": "\(hadEmbeddings)"])
    }
}
