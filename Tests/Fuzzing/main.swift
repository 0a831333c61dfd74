import CFuzzer
import Foundation

// The fuzzer's program: VIDSCAN_FUZZ_TARGET names the target, the arguments are libFuzzer's. It takes no argument of its
// own, because libFuzzer starts itself again for some of them. With the target 'seeds' it makes the base and the inputs to
// begin with, in the folder that VIDSCAN_FUZZ_BASE names.

let environment = ProcessInfo.processInfo.environment
let base = FuzzBase(path: environment["VIDSCAN_FUZZ_BASE"] ?? "")
let scratch = try FuzzScratch(in: environment["VIDSCAN_FUZZ_SCRATCH"])
let name = environment["VIDSCAN_FUZZ_TARGET"] ?? ""

if name == "seeds" {
    let clip = environment["VIDSCAN_FUZZ_CLIP"] ?? ""
    waitFor { [base] in
        do {
            _ = try await FuzzBase.make(at: base.path, clip: clip)
        } catch {
            print("the inputs to begin with cannot be made: \(error)")
            exit(1)
        }
    }
    for (target, seeds) in [("results", ResultFuzzing.seeds(base)), ("journal", JournalFuzzing.seeds(scratch))] {
        let folder = "\(base.path)/seeds-\(target)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for seed in seeds { scratch.write(seed.bytes, to: "\(folder)/\(seed.name)") }
    }
    scratch.remove()
    exit(0)
}

guard let target = FuzzTarget(rawValue: name) else {
    print("VIDSCAN_FUZZ_TARGET is none of \(FuzzTarget.allCases.map(\.rawValue))")
    exit(2)
}
Fuzzed.chosen = (target, base, scratch)

/// The state of the callback, which C calls without a context.
enum Fuzzed {
    /// Set before the fuzzer starts, and then only read.
    nonisolated(unsafe) static var chosen: (target: FuzzTarget, base: FuzzBase, scratch: FuzzScratch)?
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let status = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
    guard let chosen = Fuzzed.chosen else { return 0 }
    chosen.target.feed(
        Array(UnsafeBufferPointer(start: bytes, count: count))[...], base: chosen.base, scratch: chosen.scratch)
    return 0
}
scratch.remove()
exit(status)
