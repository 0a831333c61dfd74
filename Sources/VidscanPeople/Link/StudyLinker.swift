/// Joins the people of many videos by average linkage of squared distances, with the nearest-neighbour chain.
///
/// The chain (Benzécri, "Construction d'une classification ascendante hiérarchique par la recherche en chaîne des voisins
/// réciproques", 1982; Murtagh, "A survey of recent advances in hierarchical clustering algorithms", 1983) finds the same
/// clusters as joining the nearest pair first, in quadratic time and linear memory. It needs a reducible distance: a
/// joined cluster is not nearer to a third one than the nearer of its parts was. The mean distance is reducible, and it
/// stays so with pairs that are infinitely far apart as long as joining never brings a cluster back into reach. This
/// holds for all reasons here: people who are seen at the same time, two people with different numbers, and a limit that
/// joining can only lower.
///
/// People who have a number keep it, and bring it to those who join them. They are clustered like the others, so that one
/// number may stand for several looks of a person, for example after a user has joined a man with his younger self.
struct StudyLinker {
    /// Who is who.
    struct Result: Sendable, Equatable {
        /// The number of each person.
        var numbers: [Int]
        /// The people of each cluster, in ascending order. All of them have embeddings and the same number.
        var looks: [[Int]]
    }

    private let study: StudyPeople
    private var table = FaceClusterTable()
    private var clusters: [Cluster] = []
    /// The clusters that may still be joined.
    private var active: [Int] = []
    /// The people with a number, by the number and then the video.
    private var known: [Int: [Int: [Int]]] = [:]

    private struct Cluster {
        var faces: FaceCluster
        /// The people in ascending order.
        var members: [Int]
        /// The smallest limit of the members' videos, squared.
        var squaredLimit: Float
        /// The number of the members; `nil` if they have none yet. Clusters with different numbers are never joined.
        var studyID: Int?
    }

    private init(_ study: StudyPeople) {
        self.study = study
        for (index, person) in study.people.enumerated() {
            if let studyID = person.studyID { known[studyID, default: [:]][person.video, default: []].append(index) }
            guard let faces = person.faces else { continue }
            let limit = Float(study.limit(of: index))
            clusters.append(
                Cluster(faces: faces, members: [index], squaredLimit: limit * limit, studyID: person.studyID))
            table.append(faces)
        }
        active = Array(clusters.indices)
    }

    /// Numbers the people of a study.
    ///
    /// - Parameter nextID: The first number that has never been given; the next one on return. New numbers are in the
    ///   order of the people.
    static func link(_ study: StudyPeople, nextID: inout Int) -> Result {
        var linker = StudyLinker(study)
        linker.link()
        var owner: [Int: Int] = [:]
        for (index, cluster) in linker.clusters.enumerated() {
            for member in cluster.members { owner[member] = index }
        }
        var given: [Int: Int] = [:]
        let numbers = study.people.indices.map { person in
            if let number = study.people[person].studyID { return number }
            let cluster = owner[person]
            if let cluster, let number = linker.clusters[cluster].studyID ?? given[cluster] { return number }
            defer { nextID += 1 }
            if let cluster { given[cluster] = nextID }
            return nextID
        }
        return Result(numbers: numbers, looks: linker.clusters.map(\.members).filter { !$0.isEmpty })
    }

    /// Joins clusters until no two are near enough to each other.
    private mutating func link() {
        var chain: [Int] = []
        while let last = chain.last ?? active.first {
            if chain.isEmpty { chain = [last] }
            var previous = chain.count > 1 ? chain[chain.count - 2] : nil
            if let before = previous, !mayJoin(before, last, squaredDistance: table.squaredDistance(before, last)) {
                // Somebody who was joined elsewhere is seen at the same time.
                chain = [last]
                previous = nil
            }
            let bound = previous.map { table.squaredDistance(last, $0) } ?? .infinity
            let nearer = table.nearest(to: clusters[last].faces, among: active, below: bound) {
                $0 != last && mayJoin(last, $0, squaredDistance: $1)
            }
            if let nearer {
                chain.append(nearer.index)
            } else if let previous {
                // Each is the nearest neighbour of the other.
                chain.removeLast(2)
                join(min(previous, last), max(previous, last))
            } else {
                // Whatever else is joined, nothing comes near enough to it.
                chain.removeLast()
                active.removeAll { $0 == last }
            }
        }
    }

    private func mayJoin(_ one: Int, _ other: Int, squaredDistance: Float) -> Bool {
        let (a, b) = (clusters[one], clusters[other])
        var limit = min(a.squaredLimit, b.squaredLimit)
        guard squaredDistance < limit, a.studyID == nil || b.studyID == nil || a.studyID == b.studyID else {
            return false
        }
        if let studyID = a.studyID ?? b.studyID, a.studyID != b.studyID {
            let newcomers = a.studyID == nil ? a.members : b.members
            for member in newcomers {
                let others = known[studyID]?[study.people[member].video] ?? []
                if others.contains(where: { study.areSimultaneous(member, $0) }) { return false }
            }
        }
        // Both lists are in the order of the videos.
        var (i, j) = (0, 0)
        while i < a.members.count, j < b.members.count {
            let (first, second) = (study.people[a.members[i]].video, study.people[b.members[j]].video)
            guard first == second else {
                if first < second { i += 1 } else { j += 1 }
                continue
            }
            let strict = Float(LinkingLimits.withinVideo * LinkingLimits.withinVideo)
            limit = strict * min(a.squaredLimit, b.squaredLimit)
            guard squaredDistance < limit else { return false }
            let people = b.members[j...].prefix { study.people[$0].video == first }
            for member in a.members[i...].prefix(while: { study.people[$0].video == first }) {
                if people.contains(where: { study.areSimultaneous(member, $0) }) { return false }
                i += 1
            }
            j += people.count
        }
        return true
    }

    private mutating func join(_ one: Int, _ other: Int) {
        if let studyID = clusters[one].studyID ?? clusters[other].studyID {
            for cluster in [one, other] where clusters[cluster].studyID == nil {
                for member in clusters[cluster].members {
                    known[studyID, default: [:]][study.people[member].video, default: []].append(member)
                }
            }
        }
        clusters[one] = Self.joined(clusters[one], clusters[other])
        clusters[other].members = []
        table.replace(one, with: clusters[one].faces)
        active.removeAll { $0 == other }
    }

    private static func joined(_ one: Cluster, _ other: Cluster) -> Cluster {
        var cluster = one
        cluster.faces.add(other.faces)
        cluster.members = (one.members + other.members).sorted()
        cluster.squaredLimit = min(one.squaredLimit, other.squaredLimit)
        cluster.studyID = one.studyID ?? other.studyID
        return cluster
    }
}
