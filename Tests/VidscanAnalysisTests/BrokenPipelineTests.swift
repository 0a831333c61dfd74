import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanMedia

/// A broken pipeline and its problems with line and column.
struct Broken: Sendable, CustomTestStringConvertible {
    let text: String
    let problems: [String]

    init(_ text: String, _ problems: String...) {
        self.text = text
        self.problems = problems
    }

    var testDescription: String { problems.first ?? text }

    static let all: [Broken] = [
        Broken(
            "detct:\n  accuracy: high",
            "1:1: unknown section 'detct'; allowed: sample, filters, detect, track, measure, speech, write, render, report, "
                + "description; did you mean 'detect'?"),
        Broken(
            "detect:\n  acuracy: high",
            "2:3: unknown key 'acuracy' in 'detect'; allowed: accuracy, faces, min_face, min_confidence, "
                + "stride, workers; did you mean 'accuracy'?"),
        Broken(
            "detect:\n  rate: 5",
            "2:3: unknown key 'rate' in 'detect'; allowed: accuracy, faces, min_face, min_confidence, "
                + "stride, workers; 'rate' belongs to 'sample'"),
        Broken(
            "detect:\n  accuracy: hihg",
            "2:13: 'detect.accuracy' is hihg; allowed: low, medium, high; did you mean 'high'?"),
        Broken(
            "detect:\n  min_face: 1.5",
            "2:13: 'detect.min_face' is 1.5; allowed: a number, 0 to 1"),
        Broken(
            "detect:\n  min_face: \"0.5\"",
            "2:13: 'detect.min_face' is the text \"0.5\"; allowed: a number, 0 to 1"),
        Broken(
            "detect:\n  min_face: big",
            "2:13: 'detect.min_face' is big; allowed: a number, 0 to 1"),
        Broken(
            "detect:\n  min_face:",
            "2:12: 'detect.min_face' is empty; allowed: a number, 0 to 1"),
        Broken(
            "track:\n  max_faces: 0",
            "2:14: 'track.max_faces' is 0; allowed: a whole number, 1 to 10000"),
        Broken(
            "track:\n  max_faces: 2.5",
            "2:14: 'track.max_faces' is 2.5; allowed: a whole number, 1 to 10000"),
        Broken(
            "track:\n  smoothing: yes",
            "2:14: 'track.smoothing' is yes; allowed: true or false"),
        Broken(
            "sample:\n  rate: 0",
            "2:9: 'sample.rate' is 0; allowed: a positive number, a fraction such as 30000/1001, or "
                + "every-frame"),
        Broken(
            "sample:\n  start: 1:75",
            "2:10: 'sample.start' is 1:75; allowed: seconds or [hh:]mm:ss"),
        Broken(
            "sample:\n  start: 10\n  end: 0:05",
            "3:8: 'sample.end' (5) must come after 'sample.start' (10)"),
        Broken(
            "sample:\n  stream: -1",
            "2:11: 'sample.stream' is -1; allowed: a whole number, 0 or more"),
        Broken(
            "detect:\n  faces: small\nsample:\n  rate: 5",
            "3:1: section 'sample' comes after 'detect'; allowed: the order sample, filters, detect, track, "
                + "measure, speech, write, render, report"),
        Broken(
            "detect:\n  faces: small\ndetect:\n  accuracy: high",
            "3:1: duplicate key 'detect'"),
        Broken(
            "sample:\n  rate: 5\n  rate: 6",
            "3:3: duplicate key 'rate'"),
        Broken(
            "detect: high",
            "1:9: 'detect' is high; allowed: keys (accuracy, faces, min_face, min_confidence, "
                + "stride, workers)"),
        Broken(
            "- detect",
            "1:1: the file is a list; allowed: sections (sample, filters, detect, track, measure, speech, write, render, report)"
        ),
        Broken(
            "detect:\n  accuracy: high\n faces: small",
            "3:2: is not valid YAML: did not find expected key"),
        Broken(
            "detect: {accuracy: high",
            "2:1: is not valid YAML: did not find expected ',' or '}'"),
        Broken(
            "detect:\n\taccuracy: high",
            "2:1: is not valid YAML: found character that cannot start any token"),
        Broken(
            "measure:\n  metrics: [smile, smyle]",
            "2:20: 'measure.metrics' is smyle; allowed: smile, smiley, all, none, eyes, expressions, emotions, emojis,"
                + " aus and 67 more, see 'vidscan schema'"),
        Broken(
            "measure:\n  metrics: []",
            "2:12: 'measure.metrics' is an empty list; allowed: a list of names, see 'vidscan schema'"),
        Broken(
            "write:\n  formats: xml",
            "2:12: 'write.formats' is xml; allowed: a list of csv, json, jsonl, openface, pyfeat"),
        Broken(
            "render:\n  anonymize: blur\n  height: 241",
            "3:11: 'render.height' must be even."),
        Broken(
            "write:\n  formats: json\nrender:\n  overlay: true",
            "2:12: the video needs the CSV tables: 'write.formats' must include csv."),
        Broken(
            "filters: eqq=brightness=0.1",
            "1:10: unknown filter 'eqq'; did you mean 'eq'?; 'vidscan filters list' lists all filters"),
        Broken(
            "filters:\n  - hflip\n  - yadif=mode=9",
            "3:5: the filter chain cannot be built: Value 9.000000 for parameter 'mode' out of range [0 - 3]"),
        Broken(
            "filters:\n  - {filter: eq, options: {brightnes: 0.1}}",
            "2:28: unknown option 'brightnes' of the filter 'eq'; allowed: contrast, brightness, "
                + "saturation, gamma, gamma_r, gamma_g, gamma_b, gamma_weight, eval, enable; did you mean "
                + "'brightness'?"),
        Broken(
            "filters:\n  - {filtre: eq}",
            "2:6: unknown key 'filtre' of a filter; allowed: filter, options; did you mean 'filter'?"),
        Broken(
            "filters:\n  - {filter: lut3d, options: {file: a.cube}}",
            "2:3: filter 'lut3d' accesses a file through its option 'file'; --allow-file-filters permits it"),
        Broken(
            "filters:\n  - {options: {brightness: 1}}",
            "2:5: a filter has no name; allowed: {filter: NAME, options: {…}}"),
        Broken(
            "filters: {filter: eq}",
            "1:10: 'filters' is a mapping; allowed: a list of filters, or text in FFmpeg's syntax"),
        Broken(
            "filters: split",
            "1:10: the filter chain must have one video input and one video output"),
        Broken(
            "track:\n  eyes_closed_below: 60",
            "2:22: 'track.eyes_open_above' (45) must not be less than 'track.eyes_closed_below' (60)"),
        Broken(
            "track:\n  smile_above: 20\n  smile_until_below: 30",
            "2:16: 'track.smile_above' (20) must not be less than 'track.smile_until_below' (30)"),
        Broken(
            "description: [a, b]",
            "1:14: 'description' is a list; allowed: text"),
        Broken(
            "sample:\n  rate: &rate 5\n  start: *rate",
            "2:9: anchors and aliases ('&' and '*') are not allowed; write the value where it is needed"),
        Broken(
            "sample:\n  rate: *rate",
            "2:9: anchors and aliases ('&' and '*') are not allowed; write the value where it is needed"),
        Broken(
            "detect: &a {faces: small}",
            "1:9: anchors and aliases ('&' and '*') are not allowed; write the value where it is needed"),
        Broken("filters:\n  - \(String(repeating: "[", count: 40))", "2:35: is nested more than 32 levels deep"),
        Broken(String(repeating: "? ", count: 40) + "x", "1:65: is nested more than 32 levels deep"),
        Broken(
            "filters:\n" + String(repeating: "  - hflip\n", count: 2000),
            "2:3: '\(String(repeating: "hflip,", count: 34).prefix(200))…' is not a filter chain: it is longer than 8192 bytes"
        ),
        Broken(
            "render:\n  sticker: \"a\\0b\"", "2:12: 'render.sticker' is the text \"a\0b\"; allowed: a path"),
        Broken(
            "vidscan_version: \"0.1.0\"\npipeline: 5",
            "2:11: 'pipeline' is 5; allowed: sections (sample, filters, detect, track, measure, speech, write, render, report)"
        ),
        Broken(
            "detect:\n  accuracy: best\ntrack:\n  max_gap: 100\n  hold: 3",
            "2:13: 'detect.accuracy' is best; allowed: low, medium, high",
            "4:12: 'track.max_gap' is 100; allowed: a number, 0 to 60 seconds",
            "5:3: unknown key 'hold' in 'track'; allowed: max_faces, max_gap, min_track, smoothing, person, keep_embeddings, "
                + "blink_min_rate, blink_longest, eyes_closed_below, eyes_open_above, smile_above, "
                + "smile_until_below, smile_hold, look_away_above, look_back_below, look_away_hold; "
                + "'hold' belongs to 'render'"),
    ]
}

@Suite("A broken pipeline file is refused with every problem")
struct BrokenPipelineTests {
    @Test("Each problem has its line and column, and names what is allowed", arguments: Broken.all)
    func messages(broken: Broken) throws {
        do {
            let file = try PipelineFile(text: broken.text, path: "night/p.yaml", filters: .run(allowsFiles: false))
            _ = try ResolvedSettings(workers: 1, file: file)
            Issue.record("it was accepted")
        } catch let error as PipelineFileError {
            #expect(error.problems.map(\.description) == broken.problems.map { "night/p.yaml:" + $0 })
        }
    }

    @Test("A pipeline that is missing, not text, too large or too deep is an error in one line")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "# a long remark\n", count: 140_000), to: "long.yaml")
        try folder.write(String(repeating: "[", count: 500), to: "deep.yaml")
        mkfifo(folder.path + "/pipe.yaml", 0o600)
        try Data([0x61, 0x3A, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder.path + "/bytes.yaml"))
        let said = [
            "none.yaml": ": cannot read it: No such file or directory",
            "long.yaml": ": it is larger than 2097152 bytes",
            "bytes.yaml": ": is not valid UTF-8", "deep.yaml": ":1:33: is nested more than 32 levels deep",
            "pipe.yaml": ": cannot read it: it is not a regular file",
        ]
        for (name, reason) in said {
            let path = folder.path + "/" + name
            do {
                _ = try PipelineFile(path: path, filters: .run(allowsFiles: false))
                Issue.record("\(name) was read")
            } catch {
                #expect(error.description == path + reason)
            }
        }
    }

    @Test("The characters of anchors and aliases may be part of a text")
    func plainCharacters() throws {
        for text in ["description: R&D at 2 * 3", "description: \"&a *b\"", "# &a *b\ndescription: x # *y"] {
            #expect(try PipelineFile(text: text, path: "p.yaml", filters: .run(allowsFiles: false)).summary != nil)
        }
    }

    @Test("An error in one line counts the other problems")
    func count() throws {
        let text = "detect:\n  accuracy: best\n  faces: tiny\n"
        do {
            _ = try PipelineFile(text: text, path: "p.yaml", filters: .run(allowsFiles: false))
            Issue.record("it was accepted")
        } catch {
            #expect(
                error.description == "p.yaml:2:13: 'detect.accuracy' is best; allowed: low, medium, high"
                    + " (and 1 more; 'vidscan pipelines check' lists them all)")
        }
    }
}
