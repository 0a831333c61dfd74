internal import VidscanBase
internal import VidscanResults

extension StudyState {
    /// Applies a correction and records it. Throws if it does not fit the study.
    mutating func apply(_ correction: StudyCorrection) throws(VidscanError) {
        switch correction {
        case .samePerson(let ids):
            for id in ids { try requirePerson(id) }
            for id in ids.dropFirst() { merge(id, into: ids[0]) }
        case .split(let id, let tracks, let video): try split(id, tracks: tracks, video: video)
        case .name(let id, let name):
            try requirePerson(id)
            setName(name, of: id)
            if corrections.contains(correction.json) { return }
        }
        corrections.append(correction.json)
    }

    /// Only the last names count, so that two people can exchange theirs.
    func requireDistinctNames() throws(VidscanError) {
        for (index, person) in names.enumerated() {
            guard let other = names[..<index].first(where: { $0.name == person.name }) else { continue }
            throw .result(
                "people \(other.studyPersonId) and \(person.studyPersonId) both have the name \(person.name); join them"
                    + " with same_person if they are one person")
        }
    }

    private func requirePerson(_ id: Int) throws(VidscanError) {
        try require(
            studyIDs.contains(id), .result,
            id < nextId
                ? "there is no person \(id) any more: the number was merged into another, or its videos were removed"
                : "there is no person \(id)")
    }

    private mutating func merge(_ id: Int, into target: Int) {
        for video in videos.indices {
            videos[video].people = videos[video].people.map {
                guard $0.studyPersonId == id else { return $0 }
                return Person(studyPersonId: target, faceIds: $0.faceIds, confidence: 1, corrected: true)
            }
        }
        if let name = name(of: id) {
            names.removeAll { $0.studyPersonId == id }
            if self.name(of: target) == nil { setName(name, of: target) }
        }
        separations = separations.compactMap { pair in
            let (one, other) = (pair.one == id ? target : pair.one, pair.other == id ? target : pair.other)
            return one == other ? nil : Separation(one: one, other: other)
        }
    }

    private mutating func setName(_ name: String, of id: Int) {
        names.removeAll { $0.studyPersonId == id }
        names.append(Name(studyPersonId: id, name: name))
        names.sort { $0.studyPersonId < $1.studyPersonId }
    }

    private mutating func split(_ id: Int, tracks: [Int], video name: String?) throws(VidscanError) {
        try requirePerson(id)
        let own = videos.indices.filter { video in
            videos[video].faceIDs(of: id).contains { tracks.isEmpty || tracks.contains($0) }
        }
        let what = tracks.isEmpty ? "tracks" : "track " + tracks.map(String.init).joined(separator: ", ")
        let named = try name.map { name throws(VidscanError) in try self.video(named: name) }
        guard let video = named ?? own.first else { throw .result("person \(id) has no \(what) in any video") }
        guard own.contains(video) else { throw .result("person \(id) has no \(what) in \(videos[video].video)") }
        try require(
            named != nil || own.count == 1, .result,
            "person \(id) has \(what) in \(own.count) videos; add 'video', such as"
                + " '\(FilePath.name(of: videos[video].video))'")
        let ownTracks = Set(videos[video].faceIDs(of: id))
        let moved = tracks.isEmpty ? ownTracks : Set(tracks)
        if let foreign = moved.subtracting(ownTracks).min() {
            throw .result("person \(id) has no track \(foreign) in \(videos[video].video)")
        }
        let isElsewhere = videos.indices.contains { $0 != video && !videos[$0].faceIDs(of: id).isEmpty }
        try require(moved.count < ownTracks.count || isElsewhere, .result, "nothing would be left of person \(id)")
        for person in videos[video].people.indices where videos[video].people[person].studyPersonId == id {
            videos[video].people[person].faceIds.removeAll(where: moved.contains)
        }
        videos[video].people.removeAll(where: \.faceIds.isEmpty)
        videos[video].people.append(
            Person(studyPersonId: nextId, faceIds: moved.sorted(), confidence: 1, corrected: true))
        separations.append(Separation(one: id, other: nextId))
        nextId += 1
    }

    /// Finds a video by its path, its name, or the path or name of its result. Returns its index in `videos`.
    func video(named name: String) throws(VidscanError) -> Int {
        let path = FilePath.absolute(FilePath.expandingHome(name))
        func isSame(_ one: String, _ other: String) -> Bool { PathBytes(one) == PathBytes(other) }
        let exact = videos.firstIndex { isSame($0.video, name) || isSame($0.video, path) || isSame($0.result, path) }
        if let exact { return exact }
        let matches = videos.indices.filter {
            isSame(FilePath.name(of: videos[$0].video), name) || isSame(FilePath.name(of: videos[$0].result), name)
        }
        guard let match = matches.first else {
            let near = NearestName.suggestion(for: name, among: videos.map { FilePath.name(of: $0.video) })
            throw .result("the study has no video \(name)\(near)")
        }
        try require(
            matches.count == 1, .result,
            "the study has \(matches.count) videos named \(name); write the path, such as \(videos[match].video)")
        return match
    }
}
