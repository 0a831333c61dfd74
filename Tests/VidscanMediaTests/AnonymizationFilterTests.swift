import Foundation
import Testing
import TestSupport
import VidscanMedia

@Suite("Filters before anonymization")
struct AnonymizationFilterTests {
    @Test(
        "An allowed filter gives one output frame for each input frame, of the same size and at the same time",
        arguments: AnonymizationFilters.names.sorted() + ["yadif", "yadif=0", "yadif=mode=send_frame", "bwdif=mode=0"])
    func oneForOne(filter: String) throws {
        let name = String(filter.prefix { $0 != "=" })
        guard FilterCatalog.named(name) != nil else { try skip(missing: .filter(name)) }
        #expect(AnonymizationFilters.objection(to: filter) == nil)
        // Frames at irregular times. Few frames, because some filters hold several back.
        for count in [1, 2, 12] {
            let source = "testsrc2=s=64x48:r=30,trim=end_frame=\(count),format=yuv420p,setpts='(N*N+3*N)/30/TB'"
            let given = try pictures(of: source)
            try #require(given.count == count)
            #expect(try pictures(of: source + "," + filter) == given, "\(count) frames")
        }
    }

    /// Time and size of each picture of a source.
    private func pictures(of source: String) throws -> [String] {
        let outcome = try ChildProcess.run([
            "ffprobe", "-v", "error", "-f", "lavfi", "-i", source, "-show_entries", "frame=pts_time,width,height",
            "-of",
            "csv=p=0",
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test("Unknown filters, branches and invalid chains are refused")
    func refused() throws {
        for text in [
            "", "trim", "unknown", "null,unknown", "[in]null[out]", "null;null", "split[a][b];[a][b]hstack", "yadif=1",
            "yadif=0:mode=1", "yadif=mode=3", "yadif=mode=1-1", "yadif=mode=send_field", "bwdif", "bwdif=parity=0",
            "drawbox", "fade=out", "eq=brightness=-1", "null,gblur=30", "format=monow", "hqdn3d",
        ] {
            #expect(AnonymizationFilters.objection(to: text) != nil, "\(text)")
        }
        for text in ["null", "null,copy", "setfield=tff", "yadif", "yadif=parity=0", "yadif@a=mode=0", "bwdif=0"] {
            #expect(AnonymizationFilters.objection(to: text) == nil, "\(text)")
        }
    }
}
