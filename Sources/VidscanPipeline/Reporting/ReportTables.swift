internal import Foundation
internal import VidscanCore
internal import VidscanReport

/// A face of `tracks.csv`, as a report needs it.
struct ReportedFace {
    var id: Int
    var person: String?
    var firstSeconds: Double
    var lastSeconds: Double
    var visibleSeconds: Double
    var samples: Int
    var appearances: Int
    /// The moment for a thumbnail.
    var bestMicroseconds: Int64
    /// Its mean box, for when there is no better one.
    var box: Rectangle
    /// Means, by metric.
    var means: [String: Double]
}

/// An event of `events.csv`.
struct ReportedEvent {
    var seconds: Double
    var kind: String
    var faceID: Int?
    var value: String
}

/// Reads the small tables of a result.
enum ReportTables {
    static func faces(_ folder: String, metrics: [String]) throws(PipelineError) -> [ReportedFace] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let names = [
            "face_id", "person_id", "first_time", "last_time", "seconds_visible", "samples", "appearances", "best_time",
            "x", "y", "width", "height",
        ]
        var columns: [String: Int] = [:]
        for name in names { columns[name] = try table.column(name) }
        var means: [(String, Int)] = []
        for metric in metrics { means.append((metric, try table.column("\(metric)_mean"))) }
        var faces: [ReportedFace] = []
        while try table.next() {
            let number = { (name: String) in columns[name].flatMap { table.number($0) } ?? 0 }
            faces.append(
                ReportedFace(
                    id: Int(number("face_id")), person: columns["person_id"].flatMap { table.text($0) },
                    firstSeconds: number("first_time"), lastSeconds: number("last_time"),
                    visibleSeconds: number("seconds_visible"), samples: Int(number("samples")),
                    appearances: Int(number("appearances")),
                    bestMicroseconds: Int64((number("best_time") * 1e6).rounded()),
                    box: Rectangle(
                        x: number("x"), y: number("y"), width: number("width"), height: number("height")),
                    means: Dictionary(
                        means.compactMap { name, column in table.number(column).map { (name, $0) } },
                        uniquingKeysWith: { first, _ in first })))
        }
        return faces
    }

    static func events(_ folder: String) throws(PipelineError) -> [ReportedEvent] {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind, face, value) = (
            try table.column("time"), try table.column("kind"), try table.column("face_id"), try table.column("value")
        )
        var events: [ReportedEvent] = []
        while try table.next() {
            events.append(
                ReportedEvent(
                    seconds: table.number(time) ?? 0, kind: table.text(kind) ?? "",
                    faceID: table.number(face).map(Int.init), value: table.text(value) ?? ""))
        }
        return events
    }
}
