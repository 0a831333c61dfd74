internal import Foundation

/// Runs the measurements. Each adds its lines to the report.
struct Measurements {
    let vidscan: String
    let clips: BenchClips
    let rounds: Int
    /// Whether to take the measurements that last longer than ten minutes, too.
    let long: Bool
    /// The folder of vidscan's results. Every run overwrites them.
    let results: String
    /// MediaPipe and deface, to compare with; `nil` skips these comparisons.
    let peers: PeerPrograms?
    /// The path of deface, another program that hides faces, to compare with; `nil` skips the comparison.
    let deface: String?
    var report = Report()

    init(
        vidscan: String, clips: BenchClips, rounds: Int, long: Bool, results: String, peers: PeerPrograms?,
        deface: String?
    ) {
        self.vidscan = vidscan
        self.clips = clips
        self.rounds = rounds
        self.long = long
        self.results = results
        self.peers = peers
        self.deface = deface ?? peers?.deface
    }

    mutating func measure(_ row: BenchRow) throws {
        Progress.report("measuring \(row.rawValue)")
        switch row {
        case .analysis: try measureAnalysis()
        case .portrait: try measurePortrait()
        case .everyFrame: try measureEveryFrame()
        case .people: try measurePeople()
        case .recognition: try measureRecognition()
        case .sampling: try measureSampling()
        case .stages: try measureStages()
        case .memory: try measureMemory()
        case .workers: try measureWorkers()
        case .startup: try measureStartup()
        case .filters: try measureFilters()
        case .rendering: try measureRendering()
        case .hiding: try measureHiding()
        case .batch: try measureBatch()
        }
    }

    // MARK: Commands

    func analyze(_ clip: String, _ options: String...) -> [String] {
        [vidscan, "analyze", clip, "--quiet", "--force", "--output", results] + options
    }

    func hide(_ clip: String) -> [String] { analyze(clip, "--anonymize", "blur") }

    func decode(_ clip: String) -> [String] {
        ["ffmpeg", "-nostdin", "-v", "error", "-i", clip, "-an", "-f", "null", "-"]
    }

    func resultFolder(of clip: String) -> String {
        "\(results)/\(URL(fileURLWithPath: clip).lastPathComponent).vidscan"
    }

    // MARK: Lines of the report

    mutating func add(_ what: String, _ ratio: Spread, aim: String = "") {
        report.add(Report.Line(what: what, measured: ratio.text(decimals: 2), aim: aim))
    }

    mutating func add(_ what: String, milliseconds: Spread, decimals: Int = 0, aim: String = "") {
        report.add(Report.Line(what: what, measured: milliseconds.text(decimals: decimals) + " ms", aim: aim))
    }

    mutating func add(_ what: String, peakBytes: Int, aim: String = "") {
        report.add(Report.Line(what: what, measured: "\(peakBytes / 1_000_000) MB", aim: aim))
    }
}
