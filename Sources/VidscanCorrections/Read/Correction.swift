package import VidscanBase

/// A face at a moment: what names a track in a file of corrections, so that it holds after another analysis too.
package struct FaceReference: Sendable, Equatable {
    /// On the clock of the tables.
    package var microseconds: Int64
    /// In pixels of the source video as it is displayed.
    package var box: Rectangle

    package init(microseconds: Int64, box: Rectangle) {
        self.microseconds = microseconds
        self.box = box
    }
}

/// What a person says about the tables of a result. Times are in microseconds on the clock of the tables.
package enum Correction: Sendable, Equatable {
    /// These faces are one person.
    case samePerson([FaceReference])
    /// From this time on, the track shows somebody else.
    case split(FaceReference, at: Int64)
    /// The person of this face has a pseudonym.
    case name(FaceReference, String)
    /// The track shows no face.
    case notAFace(FaceReference)
    /// Samples in this range are left out.
    case exclude(ClosedRange<Int64>)
    case note(at: Int64, String, FaceReference?)

    /// The kinds of corrections, as a file names them.
    enum Kind: String, CaseIterable {
        case samePerson = "same_person"
        case split
        case name
        case notAFace = "not_a_face"
        case exclude
        case note
    }

    var kind: Kind {
        switch self {
        case .samePerson: .samePerson
        case .split: .split
        case .name: .name
        case .notAFace: .notAFace
        case .exclude: .exclude
        case .note: .note
        }
    }
}
