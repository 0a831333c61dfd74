/// 0…100, from `scripts/expressions/neutral_faces.py`: 101 people with at least 5 pictures labelled neutral.
enum NeutralFaces {
    /// The median over the people, and what one person in twenty exceeds.
    static let levels: [Metric: (typical: Double, highest: Double)] = [
        .browFurrow: (9.6, 33.4), .browRaise: (3.7, 40.1), .cheekRaise: (13.8, 29.4), .chinRaise: (1.5, 19.1),
        .dimpler: (11.5, 34.9), .eyeWiden: (17.2, 70.5), .innerBrowRaise: (2.8, 39.4), .jawDrop: (6.0, 18.1),
        .lidTighten: (37.6, 54.5), .lipCornerDepressor: (8.7, 34.2), .lipPress: (8.5, 25.2), .lipPucker: (1.7, 21.4),
        .lipStretch: (1.3, 7.0), .lipSuck: (13.2, 35.4), .mouthOpen: (6.2, 31.7), .noseWrinkle: (10.0, 33.0),
        .smile: (4.6, 9.5), .smirk: (1.2, 6.7), .upperLipRaise: (0.1, 2.3),
    ]
}
