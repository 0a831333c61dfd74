internal import Foundation
internal import VidscanBase
internal import VidscanInference
internal import VidscanMedia

/// Checks whether everything that vidscan needs is installed and works.
package enum Doctor {
    package struct Finding: Sendable {
        package let name: String
        package fileprivate(set) var value: String
        /// What to do about a problem; `nil` if there is none.
        package fileprivate(set) var remedy: String?
    }

    /// - Parameter cairo: The version of Cairo, which this module does not see.
    package static func examine(cairo: String) -> [Finding] {
        [
            Finding(name: "vidscan", value: Vidscan.version), ffmpeg, encoder, Finding(name: "Cairo", value: cairo),
            openvino,
        ] + (ModelStore.all + ModelStore.verification).map(model) + [processor]
    }

    private static var ffmpeg: Finding {
        let missing = MediaVersions.missingDecoders(of: ["h264", "hevc", "vp9", "av1", "mpeg4", "mjpeg", "png"])
        var remedy =
            missing.isEmpty
            ? nil : "no decoder for \(missing.joined(separator: ", ")); install a full build of the FFmpeg libraries"
        do throws(MediaError) { try MediaVersions.loadFilters() } catch { remedy = error.reason }
        return Finding(name: "FFmpeg", value: MediaVersions.summary, remedy: remedy)
    }

    private static var encoder: Finding {
        let codecs = VideoCodec.allCases.filter(\.isAvailable).map(\.rawValue)
        return Finding(
            name: "encoders", value: codecs.joined(separator: " "),
            remedy: VideoCodec.h264.isAvailable
                ? nil : "videos are encoded with libx264; install a build of the FFmpeg libraries that includes it")
    }

    private static var openvino: Finding {
        var finding = Finding(name: "OpenVINO", value: InferenceRuntime.version)
        do {
            finding.value += ", CPU plugin: \(try InferenceRuntime().capabilities().joined(separator: " "))"
        } catch { finding.remedy = "\(error.reason); reinstall vidscan with 'make install'" }
        return finding
    }

    private static func model(_ model: ModelStore.Model) -> Finding {
        let folders = ModelStore.candidateFolders
        guard let path = folders.map({ $0 + "/" + model.fileName }).first(where: FileManager.default.fileExists) else {
            return Finding(
                name: model.name, value: "not found",
                remedy: "put \(model.fileName) into \(folders.joined(separator: " or ")),"
                    + " or reinstall vidscan with 'make install'")
        }
        do {
            let digest = try FileDigest.sha256(path: path)
            return Finding(
                name: model.name, value: "\(path), sha256 \(digest)",
                remedy: model.expectedDigest.flatMap {
                    digest == $0 ? nil : "this is not the file that vidscan was validated with (sha256 \($0))"
                })
        } catch { return Finding(name: model.name, value: path, remedy: error.reason) }
    }

    static func processorFact(_ key: String) -> String? {
        let lines = FileSystem.text("/proc/cpuinfo")?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix(key) }?.split(separator: ":", maxSplits: 1).last?
            .trimmingCharacters(in: .whitespaces)
    }

    private static var processor: Finding {
        let flags = Set(processorFact("flags")?.split(separator: " ") ?? [])
        let features = ["sse4_2", "avx", "avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni", "amx_bf16"].filter {
            flags.contains(Substring($0))
        }
        let name = processorFact("model name") ?? "unknown"
        return Finding(
            name: "processor",
            value: "\(name), \(ProcessInfo.processInfo.activeProcessorCount) cores, \(features.joined(separator: " "))",
            remedy: flags.isEmpty || flags.contains("sse4_2") ? nil : "OpenVINO needs a processor with SSE4.2")
    }
}
