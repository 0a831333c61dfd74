import Testing
import TestSupport

@Suite("Wrong usage is explained in one line")
struct UsageTests {
    @Test(
        "Every help text has examples",
        arguments: [
            ([], "vidscan analyze movie.mp4"), (["--help"], "vidscan doctor"), (["help"], "vidscan schema"),
            (["analyze", "--help"], "vidscan analyze interview.mov --rate 12 --format csv,json"),
            (["merge", "--help"], "vidscan merge day.mp4.part-*-of-4"),
            (["render", "--help"], "vidscan render movie.mp4.vidscan --anonymize pixelate --keep 2"),
            (["sample", "--help"], "vidscan sample movie.mp4 --rate 2"),
            (["pipelines", "--help"], "vidscan pipelines show thorough --rate 10"),
            (["pipelines", "show", "--help"], "vidscan pipelines show default"),
            (["filters", "--help"], "vidscan filters list --category denoise"),
            (["filters", "preview", "--help"], "vidscan filters preview movie.mp4 --at 12.5 "),
            (["covers", "--help"], "vidscan covers street.mp4.vidscan --input /archive/street.mp4"),
            (["verify", "--help"], "vidscan verify street.mp4 --page"),
            (["schema", "--help"], "vidscan schema --format markdown > columns.md"),
        ])
    func help(arguments: [String], example: String) throws {
        let outcome = try ChildProcess.run([Checkout.tool] + arguments)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("EXAMPLES\n"))
        #expect(outcome.output.contains(example))
        #expect(outcome.errors == "")
    }

    @Test(
        "No example is broken at 80 columns",
        arguments: [
            [], ["analyze"], ["merge"], ["batch"], ["render"], ["report"], ["sample"], ["pipelines"],
            ["pipelines", "show"], ["filters"], ["filters", "preview"], ["schema"], ["verify"], ["covers"],
        ])
    func examples(command: [String]) throws {
        let lines = try ChildProcess.run([Checkout.tool] + command + ["--help"]).output
            .split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "EXAMPLES"))
        let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
        #expect(examples.count >= 2)
        for line in examples { #expect(line.hasPrefix("  "), "'\(line)'") }
    }

    @Test("--version prints a number alone on a line")
    func version() throws {
        let outcome = try ChildProcess.run([Checkout.tool, "--version"])
        #expect(outcome.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
        #expect(outcome.status == 0)
    }

    private static let wrong: [(String, String)] = [
        ("analyze", "Missing expected argument '<input> ...'"),
        ("analyze x.mp4 --rate 0", "The value '0' is invalid for '--rate <number>': allowed: a positive number"),
        ("analyze x.mp4 --rate=-1", "The value '-1' is invalid for '--rate <number>'"),
        ("analyze x.mp4 --rate fast", "The value 'fast' is invalid for '--rate <number>'"),
        ("analyze x.mp4 --rate 1e3", "The value '1e3' is invalid for '--rate <number>'"),
        ("analyze x.mp4 --rate", "Missing value for '--rate <number>'"),
        ("analyze x.mp4 --start 1:75", "The value '1:75' is invalid for '--start <time>'"),
        ("analyze x.mp4 --start 5 --end 5", "--end (5) must come after --start (5)."),
        ("analyze x.mp4 --overlay --invert", "--invert needs --anonymize."),
        (
            "analyze x.mp4 --stream=-1",
            "The value '-1' is invalid for '--stream <index>': allowed: a whole number, 0 or more"
        ),
        (
            "analyze x.mp4 --workers 0",
            "The value '0' is invalid for '--workers <count>': allowed: a whole number, 1 to 256"
        ),
        ("analyze x.mp4 --workers 257", "The value '257' is invalid for '--workers <count>': "),
        (
            "analyze x.mp4 --min-confidence 1.5",
            "The value '1.5' is invalid for '--min-confidence <score>': allowed: a number, 0 to 1"
        ),
        (
            "analyze x.mp4 --max-faces 0",
            "The value '0' is invalid for '--max-faces <count>': allowed: a whole number, 1 to 10000"
        ),
        (
            "analyze x.mp4 --max-pixels 0",
            "The value '0' is invalid for '--max-pixels <count>': allowed: a whole number, 1 or more"
        ),
        (
            "analyze x.mp4 --max-duration 0",
            "The value '0' is invalid for '--max-duration <seconds>': allowed: a number, positive"
        ),
        (
            "analyze x.mp4 --accuracy best",
            "The value 'best' is invalid for '--accuracy <accuracy>': allowed: low, medium, high"
        ),
        ("analyze x.mp4 --faces tiny", "The value 'tiny' is invalid for '--faces <faces>': allowed: large, small"),
        ("analyze x.mp4 --format xml", "The value 'xml' is invalid for '--format <list>'"),
        ("analyze x.mp4 --format csv,", "The value 'csv,' is invalid for '--format <list>'"),
        (
            "analyze x.mp4 --metrics smile,gaze",
            "The value 'smile,gaze' is invalid for '--metrics <list>': there is no 'gaze'; allowed: gaze_yaw, gaze_pitch, "
        ),
        (
            "analyze x.mp4 --format csv,parquet",
            "The value 'csv,parquet' is invalid for '--format <list>': there is no 'parquet'; allowed: a list of csv, json,"
                + " jsonl, openface, pyfeat"
        ),
        (
            "analyze -rf.mp4",
            "Missing expected argument '<input> ...'; if -rf.mp4 is a file, write ./-rf.mp4 (see --help)"
        ),
        (
            "batch -rf.mp4",
            "Name at least one file or folder, or use --from; if -rf.mp4 is a file, write ./-rf.mp4 (see --help)"
        ),
        ("analyze -o1.mp4", "Unknown option '-o1.mp4'; if -o1.mp4 is a file, write ./-o1.mp4 (see --help)"),
        ("batch -dash.mp4", "Unknown option '-dash.mp4'; if -dash.mp4 is a file, write ./-dash.mp4 (see --help)"),
        ("analyze -vacation.mp4", "Unknown option '-vacation.mp4'; if -vacation.mp4 is a file, write ./-vacation.mp4"),
        ("analyze x.mp4 --fps 12", "Unknown option '--fps'; did you mean '--rate'? (see --help)"),
        ("schema --fps 12", "Unknown option '--fps' (see --help)"),
        ("help metrics", "there is no command 'metrics'; the commands are analyze, merge, "),
        ("verify a.mp4 --output b.mp4", "--output must name a page: a file that ends in .html (see --help)"),
        ("filters preview a.mp4 --output b.csv", "--output must name a file that ends in .png (see --help)"),
        ("help analyse", "there is no command 'analyse'; did you mean 'analyze'? (see --help)"),
        ("help pipelines schow", "there is no command 'schow'; did you mean 'show'? (see --help)"),
        (
            "filters list --category denoise,blur",
            "The value 'denoise,blur' is invalid for '--category <category>'. Please provide one of: blur, color-adjustment, "
        ),
        (
            "analyze x.mp4 --metrics smyle",
            "The value 'smyle' is invalid for '--metrics <list>': there is no 'smyle'; allowed: smile, smiley, all, none,"
                + " eyes, expressions, emotions, emojis, aus and 67 more, see 'vidscan schema' (see --help)"
        ),
        (
            "analyze x.mp4 --metrics happiness",
            "The value 'happiness' is invalid for '--metrics <list>': there is no 'happiness'; allowed: all, none, eyes,"
                + " expressions, emotions, emojis, aus and 69 more, see 'vidscan schema'; did you mean 'joy'?"
        ),
        (
            "analyze x.mp4 --metrics blink",
            "The value 'blink' is invalid for '--metrics <list>': there is no 'blink'; allowed: all, none, eyes,"
                + " expressions, emotions, emojis, aus and 69 more, see 'vidscan schema'; blinks are events, which come"
                + " with any metrics and need --rate 12"
        ),
        (
            "analyze x.mp4 --metrics yaw",
            "The value 'yaw' is invalid for '--metrics <list>': there is no 'yaw'; allowed: gaze_yaw, "
        ),
        ("schema gaze", "there is no column or file 'gaze'; the nearest are gaze_yaw, gaze_pitch, mutual_gaze, "),
        ("analyze x.mp4 --quiet --verbose", "--quiet and --verbose cannot be used together"),
        ("analyze x.mp4 --every-frame --rate 12", "--rate and --every-frame cannot be used together"),
        ("batch x --rate 12 --every-frame", "--rate and --every-frame cannot be used together"),
        (
            "analyze x.mp4 --segment 7/7",
            "The value '7/7' is invalid for '--segment <K/N>': segments are numbered from 0: 0/7 to 6/7"
        ),
        ("analyze x.mp4 --segment 3", "The value '3' is invalid for '--segment <K/N>'"),
        ("analyze x.mp4 --segment 0/0", "The value '0/0' is invalid for '--segment <K/N>'"),
        ("merge", "Missing expected argument '<segment> ...'"),
        ("analyze x.mp4 --bogus", "Unknown option '--bogus'"),
        ("analyze x.mp4 --overlay --format json", "the video needs the CSV tables: --format must include csv."),
        ("analyze x.mp4 --people --no-person", "--people keeps face embeddings, which --no-person turns off."),
        ("batch in --output out --people --no-person", "--people keeps face embeddings, which --no-person turns off."),
        ("analyze x.mp4 --people --format json", "--people needs the CSV tables: --format must include csv."),
        ("analyze x.mp4 --anonymize blur --start 3", "--anonymize needs the whole video"),
        ("analyze x.mp4 --anonymize blur --max-faces 1", "--max-faces 1 would leave faces visible"),
        (
            "analyze x.mp4 --anonymize blur --rate 5",
            "--rate 5 would leave faces visible: --anonymize needs sample.rate: every-frame; leave out --rate."
        ),
        (
            "analyze x.mp4 --pipeline anonymize --accuracy medium",
            "--accuracy medium would leave faces visible: 'render.anonymize' needs detect.accuracy: high; leave out"
        ),
        ("analyze x.mp4 --no-tables", "--no-tables needs --anonymize: without tables, nothing would be left."),
        (
            "analyze x.mp4 --anonymize blur --no-tables --format json,csv",
            "--no-tables and --format cannot be used together"
        ),
        ("analyze x.mp4 --keep 1", "--keep needs --anonymize."),
        ("analyze x.mp4 --publish out", "--publish needs --anonymize without --invert."),
        ("render a.vidscan --anonymize blur --invert --publish out", "--publish needs --anonymize without --invert."),
        ("analyze x.mp4 --anonymize blur --approved-by Ada", "--approved-by needs --publish."),
        ("analyze x.mp4 --anonymize blur --publish-verified", "--publish-verified needs --publish."),
        ("analyze x.mp4 --anonymize blur --publish out --segment 0/2", "--segment makes no video to --publish"),
        ("render a.vidscan --covers c.json", "--covers needs --anonymize."),
        (
            "render a.vidscan --anonymize blur --publish out -o x.mp4",
            "--publish and --output cannot be used together"
        ),
        (
            "analyze x.mp4 y.mp4 --anonymize blur --keep 1",
            "--keep, --hide, --keep-face and --hide-face name people of one video, and in another one the same"
        ),
        (
            "batch in --output out --anonymize blur --hide 1",
            "--keep, --hide, --keep-face and --hide-face name people of one video, and in another one the same"
        ),
        (
            "analyze x.mp4 --anonymize blur --keep 1 --segment 0/2",
            "people are known only after the segments are merged: use --keep and --hide with 'vidscan render'."
        ),
        (
            "render a.vidscan b.vidscan --anonymize blur --keep 1",
            "--keep and --hide work with one result only: in another one, the numbers are other people"
        ),
        ("render", "Missing expected argument '<result> ...'"),
        ("render a.vidscan b.vidscan --output x.mp4", "--output and --input work with one result only"),
        (
            "render a.vidscan --show box,hat",
            "The value 'box,hat' is invalid for '--show <list>': there is no 'hat'; allowed: a list of box, id, emotion, emoji, bars, points, "
        ),
        ("render a.vidscan --show box --style full", "--style and --show cannot be used together"),
        (
            "render a.vidscan --bars grin",
            "The value 'grin' is invalid for '--bars <list>': there is no 'grin'; allowed: one of 69 names, see 'vidscan schema'"
        ),
        (
            "render a.vidscan --codec divx",
            "The value 'divx' is invalid for '--codec <codec>': allowed: h264, hevc, vp9, av1, ffv1"
        ),
        ("render a.vidscan --crf 60", "--crf of h264 must be 0 to 51."),
        ("render a.vidscan --codec ffv1 --crf 3", "ffv1 does not support --crf."),
        ("render a.vidscan --height 241", "--height must be even."),
        ("render a.vidscan --anonymize sticker", "--anonymize sticker needs --sticker."),
        ("render a.vidscan --keep 3", "--keep needs --anonymize."),
        ("render a.vidscan --invert", "--invert needs --anonymize"),
        (
            "render a.vidscan --anonymize blur --changed-source",
            "--changed-source and --anonymize cannot be used together"
        ),
        ("render a.vidscan --anonymize blur --keep 1,3 --hide 2", "--keep and --hide cannot be used together"),
        (
            "render a.vidscan --anonymize blur --keep 1 --keep-face 1,3 --hide-face 3",
            "--keep-face and --hide-face both name 3."
        ),
        (
            "render a.vidscan --anonymize blur --hide-face 3",
            "--hide-face needs --keep or --hide: without them, all faces are hidden."
        ),
        ("render a.vidscan --anonymize blur --keep 0", "The value '0' is invalid for '--keep <list>'"),
        ("render a.vidscan --anonymize blur --keep 1,", "The value '1,' is invalid for '--keep <list>'"),
        (
            "render a.vidscan --anonymize blur --strength 3",
            "The value '3' is invalid for '--strength <fraction>': allowed: a number, 0.1 to 1"
        ),
        (
            "render a.vidscan --sticker-insets 1,2,3",
            "The value '1,2,3' is invalid for '--sticker-insets <pixels>': allowed: left,top,right,bottom in pixels"
        ),
        ("sample", "Missing expected argument '<input>'"),
        ("sample a.mp4 b.mp4", "Unexpected argument 'b.mp4'"),
        ("schema --format xml", "The value 'xml' is invalid for '--format <format>'."),
        ("analyse", "Unexpected argument 'analyse'; did you mean 'analyze'?"),
        ("pipelines schow x", "2 unexpected arguments: 'schow', 'x'; did you mean 'show'?"),
        ("sample --rate 5 a.mp4 b.mp4", "Unexpected argument 'b.mp4' (see --help)"),
    ]

    @Test("A folder whose name was taken for options is called a folder")
    func hyphenatedFolder() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(["mkdir", folder.path + "/-day.1"])
        try #require(made.status == 0)
        let outcome = try Tool.run("batch", "-day.1", "--output", "out", in: folder)
        outcome.expectError("if -day.1 is a folder, write ./-day.1", status: 2)
        #expect(try Tool.run("batch", "./-day.1", "--output", "out", in: folder).status == 0)
    }

    @Test("A folder, and a result in the wrong place, are answered with the command that was meant")
    func wrongPlace() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(["mkdir", "-p", folder.path + "/day/x.mp4.vidscan"])
        try #require(made.status == 0)
        try Tool.run("analyze", "day", in: folder).expectError(
            "day: is a folder; name the files in it, or use 'vidscan batch'")
        try folder.write("{}", to: "day/x.mp4.vidscan/run.json")
        try folder.write("{}", to: "c.json")
        try Tool.run("apply", "c.json", "day/x.mp4.vidscan", in: folder).expectError(
            "The result comes first: 'vidscan apply day/x.mp4.vidscan c.json'", status: 2)
    }

    @Test("The help of an option that takes a list says what may be in the list")
    func lists() throws {
        let render = try ChildProcess.run([Checkout.tool, "render", "--help"]).output.replacing(/\s+/, with: " ")
        #expect(render.contains("(values: box, id, emotion, emoji, bars, points, mesh, axes, trail)"))
        let analyze = try ChildProcess.run([Checkout.tool, "analyze", "--help"]).output.replacing(/\s+/, with: " ")
        #expect(analyze.contains("Formats to write: csv, json, jsonl, "))
        #expect(analyze.contains("Reports, videos and exports are made from csv."))
        #expect(analyze.contains("or the groups eyes, expressions, "))
    }

    @Test("A wrong command is one line that says what is wrong, with status 2", arguments: wrong)
    func wrongUsage(line: String, message: String) throws {
        let folder = try TemporaryFolder()
        let arguments = line.split(separator: " ").map(String.init)
        let outcome = try ChildProcess.run([Checkout.tool] + arguments, in: folder.path)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("vidscan: error: \(message)"))
        #expect(outcome.errorLines.count == 1)
        #expect(folder.entries == [])
    }
}
