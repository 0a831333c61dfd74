internal import VidscanBase

/// Why a face that was to stay visible is hidden in a frame. The raw values are those of the record.
public enum Doubt: String, Sendable, CaseIterable {
    /// It is not certain enough that the face belongs to the person.
    case uncertainPerson = "uncertain_person"
    /// The detector is not certain that there is a face.
    case uncertainDetection = "uncertain_detection"
    /// The face overlaps one that is hidden.
    case overlap = "overlap"
    /// A cut is near, and the frame may show two shots.
    case cut = "cut"
    /// The tracker may have continued on another face, and no sample since then was recognised as the person.
    case unconfirmed = "unconfirmed"
}

/// The samples in which the faces that stay visible certainly belong to whom they should.
package struct CertainFaces {
    /// Successive samples of a face with the same verdict.
    struct Span: Equatable {
        var samples: ClosedRange<Int>
        /// `nil` where the face is certain.
        var doubt: Doubt?
    }

    /// By face_id, in the order of the samples. Samples in no span are unconfirmed.
    private(set) var spans: [Int: [Span]] = [:]

    /// - Parameter claims: The faces that may stay visible, by face_id.
    init(claims: [Int: FaceClaim]) {
        for face in claims.keys { spans[face] = [] }
    }

    /// Whether a face was to stay visible.
    func isChosen(_ faceID: Int) -> Bool { spans[faceID] != nil }

    /// Returns why a chosen face must be hidden in a sample; `nil` if it may stay visible.
    package func doubt(about faceID: Int, inSample sample: Int) -> Doubt? {
        let spans = spans[faceID] ?? []
        // A binary search for the first span that does not end before the sample.
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].samples.upperBound < sample { low = middle + 1 } else { high = middle }
        }
        guard low < spans.count, spans[low].samples.contains(sample) else { return .unconfirmed }
        return spans[low].doubt
    }

    /// Adds samples of a face after all earlier ones.
    mutating func append(_ samples: ClosedRange<Int>, of faceID: Int, doubt: Doubt?) {
        var own = spans.removeValue(forKey: faceID) ?? []
        if let last = own.last, last.doubt == doubt, last.samples.upperBound + 1 == samples.lowerBound {
            own[own.count - 1].samples = last.samples.lowerBound...samples.upperBound
        } else {
            own.append(Span(samples: samples, doubt: doubt))
        }
        spans[faceID] = own
    }

    /// Forgets that a face was certain anywhere.
    mutating func doubtEntirely(_ faceID: Int) {
        spans[faceID]?.removeAll { $0.doubt == nil }
    }
}

extension Rectangle {
    /// Whether two faces overlap so much that a tracker may take one for the other, and that hiding one hides part of the
    /// other.
    func touches(_ other: Rectangle) -> Bool {
        intersectionArea(with: other) > 0.05 * min(area, other.area)
    }
}
