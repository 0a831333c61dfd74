public import ArgumentParser
internal import Foundation
internal import VidscanCore
internal import VidscanFaces
public import VidscanInference
public import VidscanPipeline

struct AnalyzeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Finds and follows the faces of videos or pictures, and writes their time series.",
        discussion: """
            Each input gets a folder of its own, INPUT.vidscan/, with faces.csv (one row per face and sampled frame), \
            frames.csv (one row per sampled frame), tracks.csv (one row per face), events.csv (cuts, blinks, smiles, who comes \
            and goes) and run.json (what was done, and to what). It appears only when it \
            is complete.

            EXAMPLES
              vidscan analyze movie.mp4
              vidscan analyze interview.mov --rate 12 --format csv,json
              vidscan analyze match.mkv --start 1:02:00 --end 1:05:30 --every-frame
              vidscan analyze crowd.mp4 --faces small --accuracy high
              vidscan analyze a.mp4 b.mov c.jpg --output results
              vidscan analyze movie.mp4 --overlay --style full
              vidscan analyze street.mp4 --anonymize blur
            """)

    @Argument(help: ArgumentHelp("Videos or pictures.", valueName: "input"))
    var inputs: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Folder for the results. Default: the current one.", valueName: "folder"))
    var output: String?

    @Flag(help: "Replace results that are there already.")
    var force = false

    @OptionGroup(title: "Which frames")
    var video: VideoOptions

    @Option(help: "Detector resolution: low 320, medium 448, high 640 pixels on the long side.")
    var accuracy: AnalysisOptions.Accuracy = .medium

    @Option(help: "Faces to look for: large, or small and distant ones too (twice the resolution).")
    var faces: AnalysisOptions.FaceSize = .large

    @Option(
        help: ArgumentHelp(
            "Keep this many people of the video, the most prominent: size times time in sight. Default: all.",
            valueName: "count"))
    var maxFaces: Int?

    @Option(
        help: ArgumentHelp(
            "Leave out faces whose longer side is less than this share of the picture's shorter side, 0 to 1.",
            valueName: "share"))
    var minFace = 0.0

    @Option(help: ArgumentHelp("Least detector score of a face that is new, 0 to 1.", valueName: "score"))
    var minConfidence = 0.5

    @Option(help: ArgumentHelp("How long a face may be hidden and keep its face_id.", valueName: "seconds"))
    var maxGap = 1.0

    @Option(
        help: ArgumentHelp(
            "Leave out faces seen in fewer samples than this: they only flicker. Shots that are shorter keep theirs.",
            valueName: "samples"))
    var minTrack = 2

    @Flag(name: .customLong("no-smoothing"), help: "Write boxes and points as found, not smoothed over ±0.3 s.")
    var leavesRaw = false

    @Option(help: "exact: the same results everywhere; fast: bfloat16 where the processor has it.")
    var precision: InferencePrecision = .exact

    @Option(
        help: ArgumentHelp(
            "Frames analysed at a time. Default: one per core. Results do not depend on it.", valueName: "count"))
    var workers: Int?

    @Option(help: ArgumentHelp("What to write, of csv, json, jsonl.", valueName: "list"))
    var format = FormatList(formats: [.csv])

    @Option(
        help: ArgumentHelp(
            "What to measure beyond points and pose: names of columns, or the groups eyes, expressions, emotions,"
                + " emojis, all, none.", valueName: "list"))
    var metrics = MetricList(metrics: Set(Metric.allCases))

    @Flag(help: "Write the 478 points of every face, as landmarks.npy.")
    var landmarks = false

    @Flag(help: "Write the 52 ARKit-style scores of every face, as blendshapes.csv.")
    var blendshapes = false

    @Flag(help: "Make a video with the faces marked too, overlay.mp4. So do --style, --show and --sticker.")
    var overlay = false

    @OptionGroup(title: "What to draw")
    var drawing: DrawingOptions

    @OptionGroup(title: "What to hide: looks at every frame, for small and doubtful faces too")
    var hiding: HidingOptions

    @OptionGroup(title: "How to code the video")
    var coding: CodingOptions

    @OptionGroup(title: "What to tell")
    var telling: TellingOptions

    func validate() throws {
        if inputs.isEmpty { throw ValidationError("Name at least one video or picture.") }
        if let workers, !(1...256).contains(workers) { throw ValidationError("--workers must be 1 to 256.") }
        if !(0...1).contains(minConfidence) { throw ValidationError("--min-confidence must be 0 to 1.") }
        if let maxFaces, !(1...10_000).contains(maxFaces) {
            throw ValidationError("--max-faces must be 1 to 10000.")
        }
        if !(0...1).contains(minFace) { throw ValidationError("--min-face must be 0 to 1.") }
        if !(0...60).contains(maxGap) { throw ValidationError("--max-gap must be 0 to 60 seconds.") }
        if !(1...10_000).contains(minTrack) { throw ValidationError("--min-track must be 1 to 10000.") }
        if rendering != nil, !format.formats.contains(.csv) {
            throw ValidationError("a video is made from the tables: --format must name csv.")
        }
        guard hiding.anonymize != nil else { return }
        if video.start != nil || video.end != nil {
            throw ValidationError("--anonymize is for whole videos: --start and --end would leave faces as they are.")
        }
        if maxFaces != nil || minFace > 0 {
            throw ValidationError(
                "--anonymize hides all faces: --max-faces and --min-face would leave some as they are.")
        }
        if !hiding.only.isEmpty || !hiding.except.isEmpty {
            throw ValidationError("ids are known after the analysis: give --only and --except to 'vidscan render'.")
        }
    }

    func run() async throws {
        let teller = telling.makeTeller()
        let options = resolvedOptions
        let models: ModelStore
        do {
            models = try ModelStore(concurrency: options.workers, precision: precision)
        } catch {
            teller.failed(error)
            throw ExitStatus.usage
        }
        let analysis = Analysis(options: options, models: models, observer: teller)
        let targets = ResultPlaces.plan(inputs: inputs, folder: output)
        let work = Task {
            var failures = 0
            for (number, (input, place)) in zip(inputs, targets).enumerated() {
                teller.begins(
                    input, number: number + 1, of: inputs.count,
                    window: (video.start?.microseconds, video.end?.microseconds))
                do {
                    teller.delivered(
                        input, summary: try await analysis.run(input: input, resultPath: place, replaces: force))
                } catch let error as PipelineError where error.code == .interrupted {
                    throw error
                } catch {
                    failures += 1
                    teller.failed(error)
                }
            }
            return failures
        }
        let interrupts = InterruptHandler { work.cancel() }
        defer { interrupts.stop() }
        do {
            guard try await work.value == 0 else { throw ExitStatus.someFailed }
        } catch let error as PipelineError where error.code == .interrupted {
            teller.interrupted()
            throw ExitStatus.interrupted
        }
    }

    private var resolvedOptions: AnalysisOptions {
        var options = AnalysisOptions(workers: workers ?? max(1, ProcessInfo.processInfo.activeProcessorCount))
        options.rate = video.samplingRate
        options.start = video.start?.microseconds
        options.end = video.end?.microseconds
        options.streamIndex = video.stream
        options.limits = video.limits
        options.accuracy = accuracy
        options.faceSize = faces
        options.maximumFaces = maxFaces
        options.minimumFace = minFace
        options.minimumConfidence = minConfidence
        options.maximumGapSeconds = maxGap
        options.minimumTrackSamples = minTrack
        if leavesRaw { options.smoothing = nil }
        options.precision = precision
        options.formats = format.formats
        options.metrics = metrics.metrics
        options.writesLandmarks = landmarks
        options.writesBlendshapes = blendshapes
        options.rendering = rendering
        if hiding.anonymize != nil { options.lookThoroughly() }
        if options.rendering?.needsLandmarks == true { options.writesLandmarks = true }
        return options
    }

    /// What is made of the result, if anything is asked for.
    private var rendering: RenderOptions? {
        let draws = overlay || drawing.style != nil || drawing.show != nil || drawing.sticker != nil
        guard draws || hiding.anonymize != nil else { return nil }
        var options = RenderOptions(drawing: drawing, hiding: hiding, coding: coding)
        if overlay, options.overlay == nil { options.overlay = drawing.overlay(isDefault: true) }
        options.limits = video.limits
        return options
    }
}

extension AnalysisOptions.Accuracy: ExpressibleByArgument {}
extension AnalysisOptions.FaceSize: ExpressibleByArgument {}
extension InferencePrecision: ExpressibleByArgument {}

/// `smile,emotions`
struct MetricList: ExpressibleByArgument {
    let metrics: Set<Metric>

    init(metrics: Set<Metric>) {
        self.metrics = metrics
    }

    init?(argument: String) {
        var metrics: Set<Metric> = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if name == "all" {
                metrics.formUnion(Metric.allCases)
            } else if let group = Metric.Group(rawValue: name) {
                metrics.formUnion(Metric.allCases.filter { $0.group == group })
            } else if let metric = Metric(rawValue: name) {
                metrics.insert(metric)
            } else if name != "none" {
                return nil
            }
        }
        self.init(metrics: metrics)
    }

    var defaultValueDescription: String { "all" }
}

/// `csv,json`
struct FormatList: ExpressibleByArgument {
    let formats: Set<OutputFormat>

    init(formats: Set<OutputFormat>) {
        self.formats = formats
    }

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        let formats = names.compactMap { OutputFormat(rawValue: String($0)) }
        guard formats.count == names.count else { return nil }
        self.init(formats: Set(formats))
    }

    var defaultValueDescription: String { formats.map(\.rawValue).sorted().joined(separator: ",") }
}
