#version 300 es
// A point of a part: its place and the sum of its shapes, all read from one texture; layer 0 holds the places.
precision highp float;
precision highp int;
precision highp isampler2DArray;
precision highp sampler2D;

layout(location = 0) in uint point;
layout(location = 1) in vec3 normal;

uniform isampler2DArray shapes;
uniform isampler2DArray stresses;
// Row 0: factors of the drawn displacement and of the deflection for every shape; row 1: of every stress.
uniform sampler2D weights;
uniform int shapeCount, stressCount, columns;
uniform vec3 origin, stepSize;
uniform mat4 pose, camera;

out vec3 stillPlace, place, turnedNormal, deflection;
out float stress;

float vonMises(vec3 direct, vec3 shear) {
  vec3 d = direct - direct.yzx;
  return sqrt(0.5 * dot(d, d) + 3.0 * dot(shear, shear));
}

void main() {
  ivec2 texel = ivec2(int(point) % columns, int(point) / columns);
  vec3 still = origin + stepSize * (vec3(texelFetch(shapes, ivec3(texel, 0), 0).xyz) + 32768.0);
  vec3 moved = still;
  deflection = vec3(0.0);
  for (int k = 0; k < shapeCount; k++) {
    vec2 weight = texelFetch(weights, ivec2(k, 0), 0).xy;
    vec3 shape = vec3(texelFetch(shapes, ivec3(texel, k + 1), 0).xyz);
    moved += weight.x * shape;
    deflection += weight.y * shape;
  }
  vec3 direct = vec3(0.0), shear = vec3(0.0);
  for (int k = 0; k < stressCount; k++) {
    float weight = texelFetch(weights, ivec2(k, 1), 0).x;
    direct += weight * vec3(texelFetch(stresses, ivec3(texel, 2 * k), 0).xyz);
    shear += weight * vec3(texelFetch(stresses, ivec3(texel, 2 * k + 1), 0).xyz);
  }
  stress = vonMises(direct, shear);
  vec4 world = pose * vec4(moved, 1.0);
  stillPlace = (pose * vec4(still, 1.0)).xyz;
  place = world.xyz;
  turnedNormal = mat3(pose) * normal;
  gl_Position = camera * world;
}
