import Testing

@Suite("What vidscan is told")
struct UsageTests {
    @Test(
        "Help has examples",
        arguments: [
            ([], "vidscan analyze movie.mp4"), (["--help"], "vidscan doctor"), (["help"], "vidscan schema"),
            (["analyze", "--help"], "vidscan analyze interview.mov --rate 12 --format csv,json"),
            (["sample", "--help"], "vidscan sample movie.mp4 --rate 2"),
            (["pipelines", "--help"], "vidscan pipelines show thorough --rate 10"),
            (["pipelines", "show", "--help"], "vidscan pipelines show default"),
            (["filters", "--help"], "vidscan filters list --category denoise"),
            (["filters", "preview", "--help"], "vidscan filters preview movie.mp4 --at 12.5 "),
            (["schema", "--help"], "vidscan schema --format markdown > columns.md"),
        ])
    func help(arguments: [String], example: String) throws {
        let outcome = try ChildProcess.run([Checkout.tool] + arguments)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("EXAMPLES\n"))
        #expect(outcome.output.contains(example))
        #expect(outcome.errors == "")
    }

    @Test("The version is a number, alone on a line")
    func version() throws {
        let outcome = try ChildProcess.run([Checkout.tool, "--version"])
        #expect(outcome.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
        #expect(outcome.status == 0)
    }

    private static let wrong: [(String, String)] = [
        ("analyze", "Missing expected argument '<input> ...'"),
        ("analyze x.mp4 --rate 0", "The value '0' is invalid for '--rate <number>'"),
        ("analyze x.mp4 --rate=-1", "The value '-1' is invalid for '--rate <number>'"),
        ("analyze x.mp4 --rate fast", "The value 'fast' is invalid for '--rate <number>'"),
        ("analyze x.mp4 --rate 1e3", "The value '1e3' is invalid for '--rate <number>'"),
        ("analyze x.mp4 --rate", "Missing value for '--rate <number>'"),
        ("analyze x.mp4 --start 1:75", "The value '1:75' is invalid for '--start <time>'"),
        ("analyze x.mp4 --start 5 --end 5", "--end must come after --start."),
        ("analyze x.mp4 --stream=-1", "--stream must be 0 or more."),
        ("analyze x.mp4 --workers 0", "--workers must be 1 to 256."),
        ("analyze x.mp4 --workers 257", "--workers must be 1 to 256."),
        ("analyze x.mp4 --min-confidence 1.5", "--min-confidence must be 0 to 1."),
        ("analyze x.mp4 --max-faces 0", "--max-faces must be 1 to 10000."),
        ("analyze x.mp4 --max-pixels 0", "--max-pixels must be 1 or more."),
        ("analyze x.mp4 --max-duration 0", "--max-duration must be positive."),
        ("analyze x.mp4 --accuracy best", "The value 'best' is invalid for '--accuracy <accuracy>'."),
        ("analyze x.mp4 --faces tiny", "The value 'tiny' is invalid for '--faces <faces>'."),
        ("analyze x.mp4 --precision half", "The value 'half' is invalid for '--precision <precision>'."),
        ("analyze x.mp4 --format xml", "The value 'xml' is invalid for '--format <list>'"),
        ("analyze x.mp4 --format csv,", "The value 'csv,' is invalid for '--format <list>'"),
        ("analyze x.mp4 --quiet --verbose", "--quiet and --verbose exclude each other."),
        ("analyze x.mp4 --bogus", "Unknown option '--bogus'"),
        ("sample", "Missing expected argument '<input>'"),
        ("sample a.mp4 b.mp4", "Unexpected argument 'b.mp4'"),
        ("schema --format xml", "The value 'xml' is invalid for '--format <format>'."),
        ("analyse", "Unexpected argument 'analyse'"),
    ]

    @Test("Wrong usage is one line that says what is wrong, and status 2", arguments: wrong)
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
