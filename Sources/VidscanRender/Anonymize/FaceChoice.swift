/// Who stays visible when faces are hidden. People and faces are named by their numbers in the result.
///
/// A person who stays visible is hidden nevertheless wherever the face might be somebody else's; see `CertaintySearch`.
public struct FaceChoice: Sendable, Equatable {
    public enum People: Sendable, Equatable {
        case nobody
        /// The people with these person_ids.
        case only(Set<Int>)
        /// Everybody except the people with these person_ids.
        case allBut(Set<Int>)
    }

    /// The people who stay visible.
    public var people = People.nobody
    /// The face_ids that stay visible too. Nothing verifies who they are.
    public var keptFaces: Set<Int> = []
    /// The face_ids that are hidden in any case.
    public var hiddenFaces: Set<Int> = []

    public init() {}

    /// Whether a face may stay visible.
    package var keepsSomebody: Bool { people != .nobody || !keptFaces.isEmpty }

    /// The person_ids that are named.
    var namedPeople: Set<Int> {
        switch people {
        case .nobody: []
        case .only(let people), .allBut(let people): people
        }
    }

    func keeps(person: Int) -> Bool {
        switch people {
        case .nobody: false
        case .only(let people): people.contains(person)
        case .allBut(let people): !people.contains(person)
        }
    }
}
