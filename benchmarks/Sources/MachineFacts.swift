internal import Foundation

/// The machine, the system and the versions that the figures were measured with.
enum MachineFacts {
    /// - Parameter versions: The programs that were measured, with their versions.
    static func text(versions: [String]) -> String {
        let processor = value(of: "model name", in: "/proc/cpuinfo") ?? "unknown processor"
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let memory = Double(ProcessInfo.processInfo.physicalMemory) / Double(1 << 30)
        let system = value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=") ?? "Linux"
        let load = contents(of: "/proc/loadavg").split(separator: " ").first ?? "?"
        let programs = versions.joined(separator: ", ")
        return "\(processor) with \(instructions), \(cores) \(cores == 1 ? "core" : "cores"),"
            + String(format: " %.0f GB", memory) + "; \(system); \(programs); load at the start: \(load)."
    }

    /// The widest vector instructions of the processor, which decide about the speed of the models.
    private static var instructions: String {
        let flags = Set((value(of: "flags", in: "/proc/cpuinfo") ?? "").split(separator: " "))
        if flags.contains("avx512f") { return flags.contains("avx512_vnni") ? "AVX-512 and VNNI" : "AVX-512" }
        return flags.contains("avx2") ? "AVX2" : "no AVX2"
    }

    /// Returns the version that ffmpeg reports, for example `ffmpeg 7.1.1`.
    static func ffmpegVersion() throws -> String {
        let words = try output(of: ["ffmpeg", "-version"]).split(separator: " ")
        guard words.count > 2 else {
            throw BenchError("ffmpeg is not on the PATH; the benchmark compares vidscan with it")
        }
        return "ffmpeg \(words[2])"
    }

    /// Returns the version that vidscan reports, for example `vidscan 1.2`.
    static func vidscanVersion(_ program: String) throws -> String {
        let text = try output(of: [program, "--version"]).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let version = text.split(whereSeparator: \.isWhitespace).last else {
            throw BenchError("\(program) --version prints nothing; name another program with --vidscan")
        }
        return "vidscan \(version)"
    }

    /// Returns what a program prints, or an empty text if it fails.
    private static func output(of command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? text : ""
    }

    private static func value(of key: String, in path: String, separator: Character = ":") -> String? {
        contents(of: path).split(separator: "\n").first { $0.hasPrefix(key) }?
            .split(separator: separator, maxSplits: 1).last?
            .trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }

    private static func contents(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
