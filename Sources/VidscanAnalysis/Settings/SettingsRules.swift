internal import VidscanFaces
internal import VidscanResults
internal import VidscanBase
internal import VidscanMedia

/// Rules that involve several settings. An error names the option or the line of the file that broke the rule.
extension ResolvedSettings {
    /// Rejects settings that would leave some faces visible, because hiding must cover every face in every frame.
    func checkHiding() throws {
        let hides = settings.render.anonymize != nil
        try refuse("render.covers", if: settings.render.hiding.covers != nil && !hides) {
            "\($0) needs \(name("render.anonymize"))."
        }
        try refuse("render.invert", if: settings.render.hiding.isInverted && !hides) {
            "\($0) needs \(name("render.anonymize"))."
        }
        let publishes = settings.render.publishFolder != nil
        try refuse("render.publish", if: publishes && (!hides || settings.render.hiding.isInverted)) {
            "\($0) needs \(name("render.anonymize")) without \(name("render.invert"))."
        }
        let unused = firstInUse(of: publishes ? [] : ["render.publish_verified", "render.approved_by"])
        try refuse(unused ?? "", if: unused != nil) { "\($0) needs \(name("render.publish"))." }
        guard hides else { return }
        try refuse("render.anonymize", if: settings.sample.start != nil || settings.sample.end != nil) {
            "\($0) needs the whole video: \(name("sample.start")) and \(name("sample.end")) would leave faces visible."
        }
        if let filters = settings.filters, let objection = AnonymizationFilters.objection(to: filters.text) {
            throw error(at: "render.anonymize") { "\($0) hides faces where they are in the video, but \(objection)." }
        }
        try refuse("render.anonymize", if: settings.render.anonymize == .sticker && settings.render.sticker == nil) {
            "\($0) sticker needs \(name("render.sticker"))."
        }
    }

    /// The error for an option that would leave faces visible.
    func tooWeak(_ setting: Setting, needed: SettingValue) -> any Error {
        error(at: setting.path) { option in
            "\(option) \(setting.get(settings).yaml) would leave faces visible: \(name("render.anonymize")) needs"
                + " \(setting.path): \(needed.yaml); leave out \(option)."
        }
    }

    /// Rejects a choice of people that contradicts itself or would have no effect.
    func checkVisibility(choosesByPhoto: Bool) throws {
        let render = settings.render
        guard render.namesSomebody else { return }
        let choices = ["render.keep", "render.hide", "render.keep_faces", "render.hide_faces"]
        let chosen = choices.first { value(of: $0) != .absent }
        try refuse(chosen ?? choices[0], if: render.anonymize == nil) { "\($0) needs \(name("render.anonymize"))." }
        try refuse("render.keep", if: render.keptPeople != nil && render.hiddenPeople != nil) {
            "\($0) and \(name("render.hide")) cannot be used together."
        }
        let choosesPeople = choosesByPhoto || render.keptPeople != nil || render.hiddenPeople != nil
        try refuse("render.hide_faces", if: render.hiddenFaces != nil && !choosesPeople) {
            "\($0) needs \(name("render.keep")) or \(name("render.hide")): without them, all faces are hidden."
        }
        if let both = render.visible.keptFaces.intersection(render.visible.hiddenFaces).min() {
            throw error(at: "render.keep_faces") { "\($0) and \(name("render.hide_faces")) both name \(both)." }
        }
    }

    /// The settings whose output is more than a video with hidden faces.
    private static let tableSettings = [
        "write.formats", "write.landmarks", "write.blendshapes", "measure.metrics", "speech", "track.keep_embeddings",
        "report.page",
    ]

    /// Whether a setting asks for tables: an option that names some, or a value in a file that is not the default.
    var asksForTables: Bool { firstInUse(of: Self.tableSettings) != nil }

    private func firstInUse(of paths: [String]) -> String? {
        paths.first { path in
            let value = value(of: path)
            if [.flag(false), .absent, .list(["none"])].contains(value) { return false }
            return isOption(path) || value != Setting.at(path)?.get(Settings(workers: 1))
        }
    }

    /// Rejects a run that would write nothing, or leave out something that was requested.
    func checkTables() throws {
        guard settings.write.tables == false else { return }
        let noTables =
            if case .option(let option)? = origins["write.tables"] { option } else { "'write.tables: false'" }
        try refuse("write.tables", if: settings.render.anonymize == nil) { _ in
            "\(noTables) needs \(name("render.anonymize")): without tables, nothing would be left."
        }
        let file = firstInUse(of: ["write.landmarks", "write.blendshapes", "track.keep_embeddings"])
        let formats = settings.write.formats == [.csv] ? nil : "write.formats"
        // Drawing or hiding a mesh needs the landmarks for a while.
        if let path = file ?? formats, path != "write.landmarks" || settings.rendering?.needsLandmarks != true {
            throw error(at: "write.tables") { _ in "\(noTables) and \(name(path)) cannot be used together." }
        }
    }

    /// Rejects a request for embeddings that are not computed, or could not be used to join people.
    func checkEmbeddings() throws {
        guard settings.track.keepsEmbeddings else { return }
        try refuse("track.keep_embeddings", if: !settings.track.person) {
            let off = isFile("track.person") ? "'track.person: false'" : "--no-person"
            return "\($0) keeps face embeddings, which \(off) turns off."
        }
        try requireTables(for: name("track.keep_embeddings"))
    }

    private func requireTables(for purpose: String) throws {
        try refuse("write.formats", if: !settings.write.formats.contains(.csv)) {
            "\(purpose) needs the CSV tables: \($0) must include csv."
        }
    }

    /// Checks the settings of the sound, the video and the page. The latter are made from the tables, and encoders have limits.
    func checkOutputs() throws {
        let render = settings.render
        if render.style != nil, render.show != nil, isOption("render.style"), isOption("render.show") {
            throw SettingsError("\(name("render.style")) and \(name("render.show")) cannot be used together.")
        }
        try refuse("render.height", if: render.video.height.map { $0 % 2 == 1 } == true) { "\($0) must be even." }
        try refuse("sample.audio_stream", if: settings.sample.audioStream != nil && !settings.speech) {
            "\($0) needs \(name("speech"))."
        }
        let codec = render.video.codec
        if let factor = render.video.rateFactor {
            guard let factors = codec.rateFactors else {
                throw error(at: "render.crf") { "\(codec.rawValue) does not support \($0)." }
            }
            try refuse("render.crf", if: !factors.contains(factor)) {
                "\($0) of \(codec.rawValue) must be \(Int(factors.lowerBound)) to \(Int(factors.upperBound))."
            }
        }
        if settings.report.page { try requireTables(for: "the report page") }
        guard settings.rendering != nil else { return }
        try requireTables(for: "the video")
        try refuse("render.codec", if: !codec.isAvailable) { _ in "this FFmpeg has no encoder for \(codec.rawValue)." }
    }

    /// Pairs of numbers that must be in order, and the words that stand between the two in a message.
    private static let orderedPairs = [
        (lesser: "sample.start", greater: "sample.end", words: "must come after"),
        (lesser: "track.eyes_closed_below", greater: "track.eyes_open_above", words: "must not be less than"),
        (lesser: "track.smile_until_below", greater: "track.smile_above", words: "must not be less than"),
        (lesser: "track.look_back_below", greater: "track.look_away_above", words: "must not be less than"),
    ]

    func checkOrder() throws {
        for (lesser, greater, words) in Self.orderedPairs {
            guard let low = value(of: lesser).number, let high = value(of: greater).number else { continue }
            // A range of time must not be empty.
            if lesser == "sample.start" ? low < high : low <= high { continue }
            let paths = [greater, lesser]
            let names = paths.map { "\(name($0)) (\(value(of: $0).yaml))" }
            if !paths.contains(where: isOption), let place = paths.first(where: isFile) {
                throw error(at: place) { _ in "\(names[0]) \(words) \(names[1])" }
            }
            throw SettingsError("\(names[0]) \(words) \(names[1]).")
        }
    }

    private func refuse(_ path: String, if isRefused: Bool, _ message: (String) -> String) throws {
        if isRefused { throw error(at: path, message) }
    }

    /// - Parameter message: Makes the message from the setting's name as the user wrote it.
    private func error(at path: String, _ message: (String) -> String) -> any Error {
        guard case .file(let file, let position)? = origins[path] else { return SettingsError(message(name(path))) }
        return PipelineFileError(file: file, at: position, message(name(path)))
    }

    /// `--height`, or `'render.height'` when a pipeline file sets it.
    private func name(_ path: String) -> String {
        (isFile(path) ? nil : Setting.at(path)?.optionNames.first) ?? "'\(path)'"
    }

    private func value(of path: String) -> SettingValue { Setting.at(path)?.get(settings) ?? .absent }
    func isOption(_ path: String) -> Bool { if case .option? = origins[path] { true } else { false } }
    func isFile(_ path: String) -> Bool { if case .file? = origins[path] { true } else { false } }
}
