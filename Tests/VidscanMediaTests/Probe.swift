import Foundation
import Testing
import TestSupport

/// Facts about a file from ffprobe.
struct Probe {
    struct Packet: Equatable {
        let seconds: Double
        let hash: String
    }

    let path: String

    private func json(_ arguments: [String]) throws -> [String: Any] {
        let outcome = try ChildProcess.run(["ffprobe", "-v", "error", "-of", "json"] + arguments + [path])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(outcome.outputBytes))
        return try #require(object as? [String: Any])
    }

    /// Times of the shown frames in seconds; `nil` for a frame without a time.
    func frameTimes(stream: String = "v:0") throws -> [Double?] {
        let object = try json(["-select_streams", stream, "-show_entries", "frame=best_effort_timestamp_time"])
        let frames = object["frames"] as? [[String: Any]] ?? []
        return frames.map { ($0["best_effort_timestamp_time"] as? String).flatMap(Double.init) }
    }

    /// The packets of a stream, with the MD5 of their data.
    func packets(_ stream: String) throws -> [Packet] {
        let object = try json([
            "-select_streams", stream, "-show_data_hash", "md5", "-show_entries", "packet=pts_time,data_hash",
        ])
        let packets = object["packets"] as? [[String: Any]] ?? []
        return try packets.map { packet in
            Packet(
                seconds: try #require((packet["pts_time"] as? String).flatMap(Double.init)),
                hash: try #require(packet["data_hash"] as? String))
        }
    }

    /// Sizes of the packets of a stream in bytes.
    func packetSizes(_ stream: String) throws -> [Int] {
        let object = try json(["-select_streams", stream, "-show_entries", "packet=size"])
        let packets = object["packets"] as? [[String: Any]] ?? []
        return try packets.map { try #require(($0["size"] as? String).flatMap(Int.init)) }
    }

    /// Times of all packets in the order of their positions in the file.
    func positions() throws -> [(position: Int, seconds: Double)] {
        let object = try json(["-show_entries", "packet=pos,dts_time"])
        let packets = object["packets"] as? [[String: Any]] ?? []
        return try packets.map { packet in
            (
                position: try #require((packet["pos"] as? String).flatMap(Int.init)),
                seconds: try #require((packet["dts_time"] as? String).flatMap(Double.init))
            )
        }.sorted { $0.position < $1.position }
    }

    /// The first stream that matches a specifier.
    func stream(_ stream: String = "v:0") throws -> [String: Any] {
        let object = try json(["-select_streams", stream, "-show_streams"])
        return try #require((object["streams"] as? [[String: Any]])?.first)
    }

    func format() throws -> [String: Any] {
        try #require(try json(["-show_format"])["format"] as? [String: Any])
    }
}
