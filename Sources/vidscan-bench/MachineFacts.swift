internal import Foundation
internal import VidscanBase

/// The machine, the system and the versions that the figures were measured with.
enum MachineFacts {
    static func text(ffmpeg: String) -> String {
        let processor = value(of: "model name", in: "/proc/cpuinfo") ?? "unknown processor"
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let memory = Double(ProcessInfo.processInfo.physicalMemory) / Double(1 << 30)
        let system = value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=") ?? "Linux"
        let load = contents(of: "/proc/loadavg").split(separator: " ").first ?? "?"
        return "\(processor), \(cores) \(cores == 1 ? "core" : "cores"),"
            + String(format: " %.0f GB", memory) + "; \(system); vidscan \(Vidscan.version); \(ffmpeg);"
            + " load at the start: \(load)."
    }

    /// Returns the version that ffmpeg reports, for example `ffmpeg 7.1.1`.
    static func ffmpegVersion() throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-version"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = text.split(separator: " ")
        guard process.terminationStatus == 0, words.count > 2 else {
            throw BenchError("ffmpeg is not on the PATH; the benchmark compares vidscan with it")
        }
        return "ffmpeg \(words[2])"
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
