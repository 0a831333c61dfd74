/// 0…100, from `scripts/expressions/neutral_faces.py`: 100 people with at least 5 pictures labelled neutral.
enum NeutralFaces {
    /// The median over the people, and what one person in twenty exceeds.
    static let levels: [Metric: (typical: Double, highest: Double)] = [
        .browFurrow: (9.6, 31.2), .browRaise: (3.7, 40.5), .cheekRaise: (13.9, 29.5), .chinRaise: (1.5, 16.0),
        .dimpler: (11.1, 35.0), .eyeWiden: (17.1, 70.8), .innerBrowRaise: (2.8, 39.6), .jawDrop: (6.0, 18.3),
        .lidTighten: (37.8, 54.6), .lipCornerDepressor: (8.7, 30.8), .lipPress: (8.4, 25.4), .lipPucker: (1.8, 21.5),
        .lipStretch: (1.3, 7.0), .lipSuck: (13.1, 35.5), .mouthOpen: (6.4, 31.8), .noseWrinkle: (10.0, 33.0),
        .smile: (4.6, 9.8), .smirk: (1.2, 6.7), .upperLipRaise: (0.1, 2.3),
    ]
}
