/// Rich Transcription Time Marked (NIST, "The Rich Transcription Spring 2009 Evaluation Plan", appendix A), which describes
/// who speaks when. Here, a line says that a person is in sight, not that somebody speaks.
enum RTTM {
    /// - Parameter file: The name of the recording, in which blanks become underscores.
    static func text(_ tiers: [Tier], file: String) -> String {
        let name = String(
            String.UnicodeScalarView(
                file.unicodeScalars.map { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F ? "_" : $0 }
            ))
        let lines = tiers.filter { $0.kind == .face }.flatMap { tier in
            tier.annotations.map { (annotation: $0, person: tier.subject.name ?? "<NA>") }
        }.sorted { Annotation.precedes($0.annotation, $1.annotation) }
        return lines.map { line in
            let duration = (line.annotation.endMilliseconds - line.annotation.beginMilliseconds) * 1000
            return "SPEAKER \(name.isEmpty ? "video" : name) 1 \(ClockText.seconds(line.annotation.begin))"
                + " \(ClockText.seconds(duration)) <NA> <NA> \(line.person) <NA> <NA>\n"
        }.joined()
    }
}
