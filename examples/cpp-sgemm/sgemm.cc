// Multiplies two matrices in a job: arrays are sent to a C++ function, which returns an array.
//
//     sgemm [SIZE [PROFILE [IMAGE]]]
#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using Matrix = kinetic::NdArray<float>;

// An error of a function is the exception of its job.
kinetic::Result<Matrix> Multiply(const Matrix& a, const Matrix& b) {
  if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[1] != b.shape[0])
    return kinetic::Fail(kinetic::ErrorCode::kInvalidArgument, "the shapes do not match");
  const std::size_t rows = a.shape[0];
  const std::size_t inner = a.shape[1];
  const std::size_t columns = b.shape[1];
  Matrix product{std::vector<float>(rows * columns), {rows, columns}};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inner; ++k) {
      const float factor = a.items[i * inner + k];
      for (std::size_t j = 0; j < columns; ++j)
        product.items[i * columns + j] += factor * b.items[k * columns + j];
    }
  }
  return product;
}
KINETIC_FUNCTION(Multiply);

Matrix RandomMatrix(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  Matrix matrix{std::vector<float>(size * size), {size, size}};
  for (float& item : matrix.items) item = number(random);
  return matrix;
}

// Returns the largest difference to the product in the rows that it computes here.
float LargestError(const Matrix& a, const Matrix& b, const Matrix& product) {
  constexpr std::size_t kRows = 4;
  const std::size_t size = a.shape[0];
  float largest = 0;
  for (std::size_t i = 0; i < size; i += size / kRows + 1) {
    for (std::size_t j = 0; j < size; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k)
        sum += static_cast<double>(a.items[i * size + k]) * b.items[k * size + j];
      largest = std::max(largest, std::abs(product.items[i * size + j] - static_cast<float>(sum)));
    }
  }
  return largest;
}

kinetic::Status MultiplyInJob(std::size_t size, const std::string& profile,
                              const std::string& image) {
  KINETIC_ASSIGN_OR_RETURN(auto client, kinetic::Client::Open(kinetic::LoadProfile(profile)));
  const Matrix a = RandomMatrix(size, 1);
  const Matrix b = RandomMatrix(size, 2);
  auto spec = kinetic::JobSpec::Call(&Multiply, a, b);
  if (!image.empty()) spec.image.emplace().uri = image;
  KINETIC_ASSIGN_OR_RETURN(kinetic::Job job, client.Submit(spec));
  // Unlike Job::Wait, JobOf also loads arrays that are stored apart from the result.
  KINETIC_ASSIGN_OR_RETURN(const Matrix product, kinetic::JobOf<Matrix>(job).Get());
  const float error = LargestError(a, b, product);
  if (error >= 1e-3F) return kinetic::Fail(kinetic::ErrorCode::kDataLoss, "the product is wrong");
  std::cout << product.shape[0] << " x " << product.shape[1] << " items, correct\n";
  return {};
}

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  const std::size_t size = argc > 1 ? std::stoul(argv[1]) : 512;
  const auto done = MultiplyInJob(size, argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
  if (!done) kinetic::Report(std::cerr, done.error());
  return done ? 0 : 1;
}
