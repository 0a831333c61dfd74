/// A script in Python that finds faces as one would with OpenCV and MediaPipe. Arguments: the video, the samples per
/// second (0 is every frame), and the table to write.
///
/// It decodes into pictures only the frames that it samples, follows one face, and uses the mesh with 478 landmarks,
/// which vidscan uses too. It fails if it finds the face in fewer than nine of ten samples.
enum FaceMeshScript {
    static let text = """
        import csv
        import sys

        import cv2
        import mediapipe

        clip, rate, table = sys.argv[1], float(sys.argv[2]), sys.argv[3]
        video = cv2.VideoCapture(clip)
        step = video.get(cv2.CAP_PROP_FPS) / rate if rate else 1
        mesh = mediapipe.solutions.face_mesh.FaceMesh(max_num_faces=1, refine_landmarks=True)
        frame, due, samples, faces = 0, 0.0, 0, 0
        with open(table, "w", newline="") as file:
            rows = csv.writer(file)
            while video.grab():
                if frame >= due:
                    due, samples = due + step, samples + 1
                    picture = cv2.cvtColor(video.retrieve()[1], cv2.COLOR_BGR2RGB)
                    for face in mesh.process(picture).multi_face_landmarks or []:
                        xs, ys = [point.x for point in face.landmark], [point.y for point in face.landmark]
                        rows.writerow([frame, min(xs), min(ys), max(xs), max(ys)])
                        faces += 1
                frame += 1
        if faces < 0.9 * samples or not samples:
            sys.exit(f"found {faces} faces in {samples} samples of {clip}, which shows one face")

        """
}
