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
    /// `3 faces of 2 people in 95 rows`
    fileprivate var tables: String {
        "\(NumberText.count(faceIDs, "face")) of \(personIDs) \(personIDs == 1 ? "person" : "people") in"
            + " \(NumberText.count(faces, "row"))"
    }
}
