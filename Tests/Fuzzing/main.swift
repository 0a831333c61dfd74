import CFuzzer
import Foundation
import FuzzTargets

// The fuzzer's program: VIDSCAN_FUZZ_TARGET names the target, the arguments are libFuzzer's. It takes no argument of its
// own, because libFuzzer starts itself again for some of them. With the target 'seeds' it makes the base and the initial
// inputs, in the folder that VIDSCAN_FUZZ_BASE names.

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
            print("cannot make the initial inputs: \(error)")
            exit(1)
        }
    }
    for target in [FuzzTarget.results, .journal, .corrections, .covers] {
        let folder = "\(base.path)/seeds-\(target.rawValue)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for seed in target.seeds(base: base, scratch: scratch) {
            scratch.write(seed.bytes, to: "\(folder)/\(seed.name)")
        }
    }
    scratch.remove()
    exit(0)
}

guard let target = FuzzTarget(rawValue: name) else {
    print("VIDSCAN_FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue))")
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
