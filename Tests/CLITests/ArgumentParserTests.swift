import Foundation
import Testing
import TestSupport

@Suite("Options come from the settings' declarations")
struct ArgumentParserTests {
    /// `ParserInternals.swift` relies on what the parser does not promise. Before you change the version here, read what the
    /// new one does in these places: how it finds options by reflection (ArgumentSet.swift, Mirror), under which keys it
    /// decodes them (ArgumentDecoder.swift), and what `_dumpHelp` prints (DumpHelpGenerator.swift, ToolInfo.swift), which
    /// `scripts/man_page` reads, too.
    @Test("The argument parser is the version whose insides were checked")
    func version() throws {
        let package = try String(contentsOfFile: Checkout.root + "/Package.swift", encoding: .utf8)
        #expect(package.contains(#"/swift-argument-parser", exact: "1.8.2")"#))
    }

    @Test("The parser lists, reads and describes the option of a setting")
    func option() throws {
        let help = try ChildProcess.run([Checkout.tool, "analyze", "--help"])
        #expect(help.status == 0 && help.output.contains("  --min-track <samples>"))
        let shown = try ChildProcess.run([Checkout.tool, "pipelines", "show", "default", "--min-track", "7"])
        #expect(shown.status == 0 && shown.output.contains(#/min_track: 7 .*--min-track/#))
        let page = try ChildProcess.run([Checkout.root + "/scripts/man_page", Checkout.tool])
        #expect(page.status == 0 && page.output.contains("(track.min_track)"))
    }

    @Test("A flag explains itself in the words of its command")
    func force() throws {
        let analyze = try ChildProcess.run([Checkout.tool, "analyze", "--help"]).output
        let batch = try ChildProcess.run([Checkout.tool, "batch", "--help"]).output
        #expect(analyze.contains("Replace existing results.") && !analyze.contains("Analyse all files again"))
        #expect(batch.contains("Analyse all files again") && !batch.contains("Replace existing results."))
        let page = try ChildProcess.run([Checkout.root + "/scripts/man_page", Checkout.tool]).output
        #expect(page.contains("Replace existing results.") && page.contains("Analyse all files again"))
    }
}
