export type { DoctorReport } from './finding.ts';
export { doctorTemplate } from './doctor-template.ts';
export { doctorLive } from './doctor-live.ts';
export { runDoctor } from './run-doctor.ts';
export type { DoctorClients } from './live/clients.ts';
export { doctorJson } from './format/doctor-json.ts';
export { doctorSarif } from './format/doctor-sarif.ts';
export { doctorText } from './format/doctor-text.ts';
export { RULES } from './rules.ts';
