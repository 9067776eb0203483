/** As much of the document as Plot needs to draw; the package declares itself under its old name. */
declare module '@mixmark-io/domino' {
  const domino: { createDocument(): object };
  export default domino;
}
