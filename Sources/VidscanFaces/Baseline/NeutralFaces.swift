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
        .browFurrow: Level(typical: 22.7, highest: 50.8),
        .browRaise: Level(typical: 4.0, highest: 39.5),
        .cheekRaise: Level(typical: 13.7, highest: 27.6),
        .chinRaise: Level(typical: 1.4, highest: 16.3),
        .dimpler: Level(typical: 2.0, highest: 6.6),
        .eyeWiden: Level(typical: 16.9, highest: 67.1),
        .innerBrowRaise: Level(typical: 2.8, highest: 36.1),
        .jawDrop: Level(typical: 6.1, highest: 19.1),
        .lidTighten: Level(typical: 37.8, highest: 55.8),
        .lipCornerDepressor: Level(typical: 14.0, highest: 44.4),
        .lipPress: Level(typical: 8.3, highest: 23.8),
        .lipPucker: Level(typical: 2.0, highest: 20.4),
        .lipStretch: Level(typical: 1.3, highest: 7.8),
        .lipSuck: Level(typical: 12.9, highest: 36.1),
        .mouthOpen: Level(typical: 6.2, highest: 31.7),
        .noseWrinkle: Level(typical: 9.8, highest: 33.6),
        .smile: Level(typical: 0.2, highest: 6.4),
        .smirk: Level(typical: 1.3, highest: 6.0),
        .upperLipRaise: Level(typical: 0.1, highest: 2.1),
    ]
}
