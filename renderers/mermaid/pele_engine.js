// Pele in QuickJS: no host function but the text measurer, no I/O.
function plain(key, value) { return value instanceof Map ? Object.fromEntries(value) : value; }
function failure(error) {
  return {error: {message: String(error.message), code: error.code || 'runtime', line: error.line || 0,
                  column: error.column || 0}};
}
function parseChart(source) {
  try {
    const model = pele.parse(source);
    if (model.type !== 'flowchart') return JSON.stringify({type: model.type});
    return JSON.stringify({type: model.type, direction: model.direction, nodes: [...model.nodes.values()],
      edges: model.edges, subgraphs: model.subgraphs, classes: model.classes}, plain);
  } catch (error) { return JSON.stringify(failure(error)); }
}
