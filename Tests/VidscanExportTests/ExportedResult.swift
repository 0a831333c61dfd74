import Foundation
import FoundationXML
import TestSupport
import VidscanBase
import VidscanExport

/// A result with the given episodes, and what it is exported to.
struct ExportedResult {
    let folder: TemporaryFolder
    let stem: String

    /// - Parameters:
    ///   - people: the person of each face; blank for none.
    ///   - episodes: rows of `episodes.csv`, from `kind` on; their ids are in this order, and `with` may be left out.
    ///   - events: rows of `events.csv`.
    ///   - samples: rows of `frames.csv`: time, frame and number of faces.
    ///   - duration: of the video in seconds.
    init(
        people: [Int: Int] = [:], episodes: [String], events: [String] = [], samples: [String] = ["0,0,0", "10,50,0"],
        faces: [String] = [],
        duration: Double? = 10, video: String = "/videos/movie.mp4",
        formats: [ExportFormat] = [.elan, .vtt, .textgrid, .bids, .rttm], grouping: Exporter.Grouping = .person,
        names: [Int: String] = [:], excludedFrom: Double? = nil
    ) async throws {
        folder = try TemporaryFolder()
        let result = folder.path + "/result"
        let tracks = people.sorted { $0.key < $1.key }.map {
            SyntheticResult.Track(face: $0.key, person: $0.value, embeddings: [])
        }
        try SyntheticResult.write(tracks, to: result, video: video, keepsEmbeddings: false)
        let header =
            "episode,kind,person_id,face_id,start,end,start_seen,end_seen,peak,peak_time,mean,measured_seconds,with"
        let rows = episodes.enumerated().map { "\($0 + 1),\($1)" + ($1.count { $0 == "," } < 11 ? "," : "") }
        try folder.write(([header] + rows).joined(separator: "\n") + "\n", to: "result/episodes.csv")
        let columns = "time,kind,face_id,value,measured,episode"
        try folder.write(([columns] + events).joined(separator: "\n") + "\n", to: "result/events.csv")
        try folder.write((["time,frame,faces"] + samples).joined(separator: "\n") + "\n", to: "result/frames.csv")
        try folder.write(
            (["time,frame,face_id,x,y,width,height,person_id"] + faces).joined(separator: "\n") + "\n",
            to: "result/faces.csv")
        if !names.isEmpty || excludedFrom != nil {
            let list = excludedFrom.map { "{\"do\": \"exclude\", \"from\": \($0), \"to\": 99}" } ?? ""
            let ranges = excludedFrom.map { "{\"from\": \($0), \"to\": 99}" } ?? ""
            let people = names.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ")
            let corrections = """
                "corrections": {"file": "a.json", "sha256": "\(String(repeating: "0", count: 64))", "list": [\(list)],
                  "excluded": [\(ranges)], "counts": {"exclude": \(excludedFrom == nil ? 0 : 1)}, "people": {\(people)}},
                """
            try folder.write(
                try folder.text("result/run.json").replacing(
                    "\"counts\"", with: corrections + "\"counts\"", maxReplacements: 1),
                to: "result/run.json")
        }
        if let duration {
            let record = try folder.text("result/run.json")
            try folder.write(
                record.replacing("\"codec\": \"h264\"", with: "\"codec\": \"h264\", \"duration_seconds\": \(duration)"),
                to: "result/run.json")
        }
        var options = Exporter.Options(formats: formats)
        options.grouping = grouping
        let exporter = Exporter(options: options) { _ throws(VidscanError) in
            throw VidscanError(.setup, "annotations need no model")
        }
        _ = try await exporter.run(resultPath: result)
        stem = video.split(separator: "/").last.map { String($0.prefix { $0 != "." }) } ?? ""
    }

    func text(_ ending: String) throws -> String { try folder.text("result/\(stem)\(ending)") }

    // MARK: EAF

    struct Document {
        var attributes: [String: String] = [:]
        var media: [String: String] = [:]
        var slots: [(id: String, value: Int)] = []
        var tiers: [Tier] = []

        struct Tier {
            var attributes: [String: String]
            var annotations: [(id: String, begin: String, end: String, value: String)] = []
        }
    }

    func document() throws -> Document {
        let reader = DocumentReader()
        let parser = XMLParser(data: Data(try text(".eaf").utf8))
        parser.delegate = reader
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
        return reader.document
    }

    private final class DocumentReader: NSObject, XMLParserDelegate {
        var document = Document()
        private var value = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            switch name {
            case "ANNOTATION_DOCUMENT": document.attributes = attributes
            case "MEDIA_DESCRIPTOR": document.media = attributes
            case "TIME_SLOT":
                document.slots.append(
                    (attributes["TIME_SLOT_ID"] ?? "", attributes["TIME_VALUE"].flatMap { Int($0) } ?? -1))
            case "TIER": document.tiers.append(Document.Tier(attributes: attributes))
            case "ALIGNABLE_ANNOTATION":
                document.tiers[document.tiers.count - 1].annotations.append(
                    (
                        attributes["ANNOTATION_ID"] ?? "", attributes["TIME_SLOT_REF1"] ?? "",
                        attributes["TIME_SLOT_REF2"] ?? "", ""
                    ))
            default: break
            }
            value = ""
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { value += string }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            guard name == "ANNOTATION_VALUE", let tier = document.tiers.indices.last,
                let annotation = document.tiers[tier].annotations.indices.last
            else { return }
            document.tiers[tier].annotations[annotation].value = value
        }
    }

    // MARK: TextGrid

    struct Grid {
        var end = ""
        var tiers: [(name: String, intervals: [(begin: Double, end: Double, label: String)])] = []
    }

    /// Reads the lines of a TextGrid, which have one value each.
    func grid() throws -> Grid {
        var grid = Grid()
        var interval: (begin: Double, end: Double) = (0, 0)
        for line in try text(".TextGrid").split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2 else { continue }
            let value = parts[1].hasPrefix("\"") ? String(parts[1].dropFirst().dropLast()) : parts[1]
            let isInterval = line.hasPrefix("            ")
            switch parts[0] {
            case "xmax" where !line.hasPrefix(" "): grid.end = value
            case "name": grid.tiers.append((value, []))
            case "xmin" where isInterval: interval.begin = Double(value) ?? -1
            case "xmax" where isInterval: interval.end = Double(value) ?? -1
            case "text":
                grid.tiers[grid.tiers.count - 1].intervals.append((interval.begin, interval.end, value))
            default: break
            }
        }
        return grid
    }
}

/// The video that an EAF document names.
struct XMLDocumentText {
    let url: String

    init(_ text: String) throws {
        let document = try XMLDocument(xmlString: text)
        let nodes = try document.nodes(forXPath: "/ANNOTATION_DOCUMENT/HEADER/MEDIA_DESCRIPTOR/@MEDIA_URL")
        url = nodes.first?.stringValue ?? ""
    }
}
