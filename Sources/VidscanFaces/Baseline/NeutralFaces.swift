/// The expressions of neutral faces, 0…100, as `scripts/expressions/neutral_faces.py` computes them from the reference
/// data: 101 people with at least 5 pictures that were labelled neutral.
enum NeutralFaces {
    struct Level {
        /// The median over the people.
        let typical: Double
        /// The level that one person in twenty exceeds.
        let highest: Double
    }

    static let levels: [Metric: Level] = [
        .browFurrow: Level(typical: 21.1, highest: 52.4),
        .browRaise: Level(typical: 3.7, highest: 40.1),
        .cheekRaise: Level(typical: 13.8, highest: 29.4),
        .chinRaise: Level(typical: 1.5, highest: 19.1),
        .dimpler: Level(typical: 2.0, highest: 7.0),
        .eyeWiden: Level(typical: 17.2, highest: 70.5),
        .innerBrowRaise: Level(typical: 2.8, highest: 39.4),
        .jawDrop: Level(typical: 6.0, highest: 18.1),
        .lidTighten: Level(typical: 37.6, highest: 54.5),
        .lipCornerDepressor: Level(typical: 14.4, highest: 47.3),
        .lipPress: Level(typical: 8.5, highest: 25.2),
        .lipPucker: Level(typical: 1.7, highest: 21.4),
        .lipStretch: Level(typical: 1.3, highest: 7.0),
        .lipSuck: Level(typical: 13.2, highest: 35.4),
        .mouthOpen: Level(typical: 6.2, highest: 31.7),
        .noseWrinkle: Level(typical: 10.0, highest: 33.0),
        .smile: Level(typical: 0.2, highest: 6.8),
        .smirk: Level(typical: 1.2, highest: 6.7),
        .upperLipRaise: Level(typical: 0.1, highest: 2.3),
    ]
}
