internal import VidscanFaces

/// Joins the people of many videos by average linkage, in linear memory.
///
/// Joining never brings a cluster back into reach, as ``AverageLinkage`` requires: people seen at the same time and
/// people with different numbers stay apart, and joining can only lower a limit. Limits rise with the evidence, so further
/// rounds follow, each with the evidence of the clusters that the last one made. Numbered people are clustered too, so
/// that one number may stand for several looks, for example after a user has joined a man with his younger self.
struct StudyLinker: AverageLinkage {
    private let study: StudyPeople
    private var table = FaceClusterTable()
    private var clusters: [Cluster] = []
    /// By the number and then the video.
    private var known: [Int: [Int: [Int]]] = [:]

    private struct Cluster {
        var faces: FaceCluster
        /// In ascending order.
        var members: [Int]
        /// At the beginning of the round, the least of those joined since.
        var evidence: Double
        /// `nil` if the members have none yet. Clusters with different numbers are never joined.
        var studyID: Int?
    }

    private init(_ study: StudyPeople) {
        self.study = study
        for (index, person) in study.people.enumerated() {
            if let studyID = person.studyID { known[studyID, default: [:]][person.video, default: []].append(index) }
            guard let faces = person.faces else { continue }
            clusters.append(Cluster(faces: faces, members: [index], evidence: faces.evidence, studyID: person.studyID))
            table.append(faces)
        }
    }

    /// Numbers people in order. `nextID` is the first number that has never been given, also on return. `looks` are the
    /// people of each cluster, ascending. All have embeddings and the same number.
    static func link(_ study: StudyPeople, nextID: inout Int) -> (numbers: [Int], looks: [[Int]]) {
        var linker = StudyLinker(study)
        linker.linkInRounds()
        var owner: [Int: Int] = [:]
        for (index, cluster) in linker.clusters.enumerated() { for member in cluster.members { owner[member] = index } }
        let numbers = study.people.indices.map { person in
            if let number = study.people[person].studyID { return number }
            let cluster = owner[person]
            if let cluster, let number = linker.clusters[cluster].studyID { return number }
            defer { nextID += 1 }
            if let cluster { linker.clusters[cluster].studyID = nextID }
            return nextID
        }
        return (numbers, linker.clusters.map(\.members).filter { !$0.isEmpty })
    }

    private mutating func linkInRounds() {
        linkAll(clusters.indices)
        while true {
            let left = clusters.indices.filter { !clusters[$0].members.isEmpty }
            let changed = left.filter { clusters[$0].evidence < clusters[$0].faces.evidence }
            guard !changed.isEmpty else { return }
            for index in changed { clusters[index].evidence = clusters[index].faces.evidence }
            linkAll(left, changed: changed)
        }
    }

    func distance(_ one: Int, _ other: Int) -> Float? {
        let distance = table.distance(one, other)
        return mayJoin(one, other, distance: distance) ? distance : nil
    }

    func nearest(to cluster: Int, among candidates: [Int], below bound: Float?) -> (index: Int, distance: Float)? {
        table.nearest(to: clusters[cluster].faces, among: candidates, below: bound ?? .infinity) {
            $0 != cluster && mayJoin(cluster, $0, distance: $1)
        }
    }

    private func mayJoin(_ one: Int, _ other: Int, distance: Float) -> Bool {
        let (a, b) = (clusters[one], clusters[other])
        let limit = Float(
            min(a.faces.videoLimit, b.faces.videoLimit, IdentityCalibration.limit(evidence: a.evidence, b.evidence)))
        guard distance < limit, a.studyID == nil || b.studyID == nil || a.studyID == b.studyID else { return false }
        if let studyID = a.studyID ?? b.studyID, a.studyID != b.studyID {
            for member in a.studyID == nil ? a.members : b.members {
                let others = known[studyID]?[study.people[member].video] ?? []
                if others.contains(where: { study.areDifferent(member, $0) }) { return false }
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
            guard distance < Float(IdentityCalibration.fractionWithinVideo) * limit else { return false }
            let people = b.members[j...].prefix { study.people[$0].video == first }
            for member in a.members[i...].prefix(while: { study.people[$0].video == first }) {
                if people.contains(where: { study.areDifferent(member, $0) }) { return false }
                i += 1
            }
            j += people.count
        }
        return true
    }

    mutating func join(_ one: Int, _ other: Int) {
        let (first, second) = (clusters[one], clusters[other])
        if let studyID = first.studyID ?? second.studyID {
            for cluster in [first, second] where cluster.studyID == nil {
                for member in cluster.members {
                    known[studyID, default: [:]][study.people[member].video, default: []].append(member)
                }
            }
            clusters[one].studyID = studyID
        }
        clusters[one].faces.add(second.faces)
        clusters[one].members = (first.members + second.members).sorted()
        clusters[one].evidence = min(first.evidence, second.evidence)
        clusters[other].members = []
        table.replace(one, with: clusters[one].faces)
    }
}
