/// Joins the people of many videos by average linkage of squared distances, with the nearest-neighbour chain.
///
/// The chain (Benzécri, "Construction d'une classification ascendante hiérarchique par la recherche en chaîne des voisins
/// réciproques", 1982; Murtagh, "A survey of recent advances in hierarchical clustering algorithms", 1983) finds the same
/// clusters as joining the nearest pair first, in quadratic time and linear memory. It needs a reducible distance: a
/// joined cluster is not nearer to a third one than the nearer of its parts was. The mean distance is reducible, and it
/// stays so with pairs that are infinitely far apart as long as joining never brings a cluster back into reach. This
/// holds for all reasons here: people who are seen at the same time, two people with numbers of their own, and a limit
/// that joining can only lower.
struct StudyLinker {
    private let study: StudyPeople
    private var table = FaceClusterTable()
    private var clusters: [Cluster] = []
    /// The clusters that may still be joined.
    private var active: [Int] = []

    private struct Cluster {
        var faces: FaceCluster
        /// The people in ascending order.
        var members: [Int]
        /// The smallest limit of the members' videos, squared.
        var squaredLimit: Float
        /// The number that the study has given earlier. Two such clusters are never joined, so that numbers stay.
        var studyID: Int?
    }

    private init(_ study: StudyPeople) {
        self.study = study
        var known: [Int: Int] = [:]
        for (index, person) in study.people.enumerated() {
            guard let faces = person.faces else { continue }
            let limit = Float(study.limit(of: index))
            let single = Cluster(
                faces: faces, members: [index], squaredLimit: limit * limit, studyID: person.studyID)
            guard let studyID = person.studyID, let cluster = known[studyID] else {
                if let studyID = person.studyID { known[studyID] = clusters.count }
                clusters.append(single)
                continue
            }
            clusters[cluster] = Self.joined(clusters[cluster], single)
        }
        for cluster in clusters { table.append(cluster.faces) }
        active = Array(clusters.indices)
    }

    /// Numbers the people of a study.
    ///
    /// - Parameters:
    ///   - study: The people; those with a number keep it.
    ///   - nextID: The first number that has never been given; the next one on return.
    /// - Returns: The number of each person. New numbers are in the order of the people.
    static func numbers(of study: StudyPeople, nextID: inout Int) -> [Int] {
        var linker = StudyLinker(study)
        if study.people.contains(where: { $0.studyID == nil }) { linker.link() }
        var owner: [Int: Int] = [:]
        for (index, cluster) in linker.clusters.enumerated() {
            for member in cluster.members { owner[member] = index }
        }
        var numbers: [Int: Int] = [:]
        return study.people.indices.map { person in
            if let known = study.people[person].studyID { return known }
            let cluster = owner[person]
            if let cluster, let known = linker.clusters[cluster].studyID ?? numbers[cluster] { return known }
            defer { nextID += 1 }
            if let cluster { numbers[cluster] = nextID }
            return nextID
        }
    }

    /// Joins clusters until no two are near enough to each other.
    private mutating func link() {
        var chain: [Int] = []
        while let last = chain.last ?? active.first {
            if chain.isEmpty { chain = [last] }
            let previous = chain.count > 1 ? chain[chain.count - 2] : nil
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
        guard squaredDistance < limit, a.studyID == nil || b.studyID == nil else { return false }
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
