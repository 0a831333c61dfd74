internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanRender

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks that everything vidscan needs is installed.",
        discussion: "If something is missing, it says what to do, and exits with status 2.")

    func run() throws {
        let findings = Doctor.examine(cairo: DrawingVersion.cairo)
        for finding in findings {
            Output.standard("\(finding.remedy == nil ? "ok     " : "PROBLEM") \(finding.name): \(finding.value)")
            if let remedy = finding.remedy { Output.standard("        -> \(remedy)") }
        }
        if findings.contains(where: { $0.remedy != nil }) { throw ExitStatus.usage }
    }
}
