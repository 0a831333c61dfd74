/// Outlines of the face in MediaPipe's mesh, as point indices. Left and right are the subject's own.
enum MeshOutlines {
    package static let face = [
        10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149,
        150,
        136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
    ]

    package static let closed = [
        face,
        // Eyelids.
        [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466],
        [33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246],
        // Lips: outer and inner outline.
        [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185],
        [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191],
    ]

    package static let open = [
        // Eyebrows.
        [276, 283, 282, 295, 285], [300, 293, 334, 296, 336], [46, 53, 52, 65, 55], [70, 63, 105, 66, 107],
        // Bridge of the nose.
        [168, 6, 197, 195, 5, 4, 1],
    ]

    /// The centre and the rim of each iris.
    package static let irises = [(468, [469, 470, 471, 472]), (473, [474, 475, 476, 477])]
}
