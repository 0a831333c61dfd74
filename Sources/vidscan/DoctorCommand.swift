internal import ArgumentParser
internal import VidscanAnalysis

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks whether everything that vidscan needs is there.",
        discussion: "Ends with status 2 when something is missing, and says what to do about it.")

    func run() throws {
        let findings = Doctor().examine()
        for finding in findings {
            Output.standard("\(finding.remedy == nil ? "ok     " : "PROBLEM") \(finding.name): \(finding.value)")
            if let remedy = finding.remedy { Output.standard("        -> \(remedy)") }
        }
        if findings.contains(where: { $0.remedy != nil }) { throw ExitStatus.usage }
    }
}
