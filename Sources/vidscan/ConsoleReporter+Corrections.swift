internal import VidscanBase
internal import VidscanCorrections

extension ConsoleReporter {
    func corrected(_ result: String, summary: Correcting.Summary) {
        inform(
            .corrected,
            "\(result): \(NumberText.count(summary.effects.count, "correction")) applied, \(summary.tables)"
                + " -> \(Self.relative(summary.path))",
            [
                "result": .text(result), "output": .text(summary.path), "corrections": .integer(summary.effects.count),
                "faces": .integer(summary.faces), "face_ids": .integer(summary.faceIDs),
                "people": .integer(summary.personIDs),
            ])
        warnAboutOutdated(result, summary)
    }

    func undid(_ result: String, summary: Correcting.Summary) {
        inform(
            .corrected,
            "\(result): corrections undone, \(summary.tables)",
            [
                "result": .text(result), "output": .text(summary.path), "corrections": .integer(0),
                "faces": .integer(summary.faces), "face_ids": .integer(summary.faceIDs),
                "people": .integer(summary.personIDs),
            ])
        warnAboutOutdated(result, summary)
    }

    private func warnAboutOutdated(_ result: String, _ summary: Correcting.Summary) {
        guard !summary.outdated.isEmpty else { return }
        let isOne = summary.outdated.count == 1
        warned(
            result,
            message: "\(summary.outdated.joined(separator: ", ")) \(isOne ? "shows" : "show") the tables as they were"
                + " before; make \(isOne ? "it" : "them") again with --force")
    }
}

extension Correcting.Summary {
    /// `95 faces of 3 ids and 2 people`
    fileprivate var tables: String {
        "\(NumberText.count(faces, "face")) of \(NumberText.count(faceIDs, "id")) and"
            + " \(personIDs) \(personIDs == 1 ? "person" : "people")"
    }
}
