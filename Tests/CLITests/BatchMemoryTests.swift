import Foundation
import Testing
import TestSupport

@Suite("Memory of batch workers")
struct BatchMemoryTests: BatchTesting {
    @Test("The workers share the budget")
    func budget() throws {
        let folder = try makeFolder(["good.png", "memory.png"])
        let outcome = try Tool.shell(
            """
            VIDSCAN_TEST_FAULT=memory:memory.png \
            "$0" batch in --output out --jobs 2 --memory-budget 1400 --memory-limit 4096
            """, in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errorLines.contains(
                "vidscan: error: \(folder.path)/in/memory.png: needed more than 700 MB of memory and was stopped"),
            "\(outcome.errors)")
        #expect(results(folder) == ["out/good.png.vidscan/run.json"])
    }

    @Test("A worker does not grow with the number of frame sizes that it analyses")
    func shapes() throws {
        let folder = try TemporaryFolder()
        // Without a bound, each shape would take another 30 MB. Appended bytes make one copy of a picture the first to be
        // analysed, and another copy comes last, so that its detector is loaded twice.
        let made = try Tool.shell(
            """
            mkdir in
            for width in $(seq 96 32 416); do for height in 64 160 256; do
                ffmpeg -nostdin -v error -i '\(try Variants.path("still.png"))' -vf scale=$width:$height \
                    in/$width-$height.png || exit
            done; done
            cp in/224-160.png in/last.png
            { cat in/224-160.png; head -c 1000000 /dev/zero; } >in/first.png
            find in -type f -exec touch -d '1 hour ago' {} +
            """, in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let outcome = try Tool.run(
            "batch", "in", "--output", "out", "--jobs", "1", "--memory-limit", "700", "-v", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(results(folder).count == 35)
        let faces = try ["first", "last", "224-160"].map { try folder.bytes("out/\($0).png.vidscan/faces.csv") }
        #expect(Set(faces).count == 1)
        let order = outcome.errorLines.filter { $0.contains(" in 1 frame") }
        #expect(order.first?.contains("/first.png: ") == true)
    }
}
